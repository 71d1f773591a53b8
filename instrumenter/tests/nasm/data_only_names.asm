; Names in any case, words of other assemblers as names, and `$` before a register.
bits 32
global _start
section .data
Count:  dd 1
count:  dd 2
proc    dd 3
ends    dd 4
$ebx    dd 5
section .text
_start: mov eax, [Count]
        add eax, [count]
        add eax, [proc]
        add eax, [ends]
        add eax, [$ebx]
        mov ebx, eax
        mov eax, 1
        int 80h
