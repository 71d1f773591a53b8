; A COM program without sections, whose data stands behind its code.
org 0x100
start:
        jmp main
msg     db "flat$"
count:  dw 3
main:   mov ah, 9
        mov dx, msg
        int 0x21
        mov cx, [count]
        mov bx, $$
        mov di, $ - $$
again:  dec cx
        jnz again
        mov ax, 0x4C00
        int 0x21
buffer: times 8 db 0
        times 64 - ($ - $$) nop
end_of_all:
