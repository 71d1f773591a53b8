; Writes a line and ends, as a program of Linux.
        bits 32
        global _start

        section .data
msg:    db "Hello", ' ', `world\n`
len     equ $ - msg

        section .bss
buf:    resb 64
last:   resd 1

        section .text
_start: mov edx, len
        mov ecx, msg
        mov ebx, 1
        mov eax, 4
        int 0x80
        mov [buf], al
        mov dword [last], buf
        mov eax, 1
        xor ebx, ebx
        int 80h
