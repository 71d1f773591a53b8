; Echoes what it reads, as programs of Linux do.
global _start
section .bss
room    resb 16
section .text
_start:
.more:  mov eax, 3
        xor ebx, ebx
        mov ecx, room
        mov edx, 16
        int 80h
        test eax, eax
        jle .end
        mov edx, eax
        mov eax, 4
        mov ebx, 1
        int 80h
        jmp .more
.end:   mov eax, 1
        xor ebx, ebx
        int 80h
