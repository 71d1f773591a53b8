; Labels of labels with the same names, in two functions.
bits 32
global first, second
section .text
first:  mov ecx, 3
.loop:  dec ecx
        jnz .loop
.done:  ret
second: mov ecx, 4
.loop:  dec ecx
        jnz .loop
        jmp first.done
