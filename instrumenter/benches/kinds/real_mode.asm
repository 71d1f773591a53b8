; A loop of 16-bit instructions in real mode.
        .model  tiny
        .586
        .code
        org     100h
start:  mov     bp,20
        mov     si,offset data
round:  mov     cx,50000
again:  add     ax,dx
        mov     bx,ax
        shl     bx,3
        mov     [si],ax
        xor     dx,[si+2]
        lea     ax,[bx+si]
        and     bx,0FFh
        sub     dx,bx
        dec     cx
        jnz     again
        dec     bp
        jnz     round
        mov     ax,4C00h
        int     21h
        org     1000h          ; not in a line with code, which stores would invalidate
data    dw      1,2
        end     start
