; A COM program that makes code where its source ends, without room reserved for it, and calls that.
        bits 16
        org 100h
        mov di, made
        mov cx, 50
        mov al, 40h             ; inc ax
        rep stosb
        mov al, 0C3h            ; ret
        stosb
        xor ax, ax
        mov cx, 100
again:  call made
        loop again
        mov [sum], ax
        ret
sum     dw 0
made:
