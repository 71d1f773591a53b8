; An error in a line that a macro makes.
bits 32
%macro twice 1
        mov eax, %1
        mov ebx, [nowhere + %1]
%endmacro
section .text
_start: twice 5
        twice
