; Adds the numbers of an array.
section .data
arr:    times 16 dd 3
section .text
global _start
_start: mov esi, arr
        mov ecx, 16
        xor eax, eax
.next:  mov ebx, [esi]
        add esi, 4
        add eax, ebx
        shl edx, 1
        dec ecx
        jnz .next
        mov ebx, eax
        mov eax, 1
        int 80h
