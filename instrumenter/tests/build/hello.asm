; A COM program: the first byte is at 100h, and offsets count from there.
.model tiny
.code
        org 100h
start:  mov dx,offset text
        mov ah,9
        int 21h
        mov ax,4C00h
        int 21h
text    db "Hello$"
end start
