; A COM program of DOS, with sections.
        bits 16
        org 100h
section .text
start:  mov dx, msg
        mov ah, 9
        int 21h
        mov si, table
        mov cx, entries
        xor ax, ax
.next:  add ax, [si]
        add si, 2
        loop .next
        mov [total], ax
        cmp ax, 6
        je .done
        jmp near .done
.done:  mov ax, 4C00h
        int 21h
section .data
msg     db 'Hello', 13, 10, '$'
        align 2
table   dw 1, 2, 3
entries equ ($ - table) / 2
        dw msg, $ - $$, $$, start
section .bss
total   resw 1
