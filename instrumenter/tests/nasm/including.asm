; Macros and data of other files.
%include "numbers.inc"
bits 32
global _start
section .data
bytes:  incbin "numbers.inc", 0, 4
section .text
_start: load ebx, FIRST
        movzx ecx, byte [bytes]
        add ebx, ecx
        mov eax, 1
        int 80h
