.model tiny
.code
        org 100h
start:  mov ax,seg value
        mov ds,ax
        ret
value   dw 5
end start
