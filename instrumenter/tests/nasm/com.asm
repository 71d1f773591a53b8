; A COM program of DOS.
        org 100h
section .text
start:  mov dx, msg
        mov ah, 9
        int 21h
        mov cx, 5
        xor ax, ax
.next:  add ax, cx
        loop .next
        mov [total], ax
        mov ax, 4C00h
        int 21h
section .data
msg     db 'from DOS$'
section .bss
total   resw 1
