; Interrupt-driven serial port, Turbo Pascal unit part (TASM, model tpascal)
        .model  tpascal
        .data
        extrn   ComPort:word, RxHead:word, RxTail:word
        extrn   OldVec:dword
RBR     equ     0
IER     equ     1
IIR     equ     2
LCR     equ     3
MCR     equ     4
LSR     equ     5
BufSize equ     1024
buffer  db      BufSize dup (?)
;= 1024 bytes, a1663dc5
        .code
        public  ComInit, ComDone, ComRead, ComWrite
divisors dw     115200/1200 and 0ffffh, 48, 24, 12, 6
;= 6000300018000c000600
handler proc    far
        push    ax
;= 50
        push    bx
;= 53
        push    dx
;= 52
        push    ds
;= 1e
        mov     ax,seg @data
;= b81c10
        mov     ds,ax
;= 8ed8
        mov     dx,ComPort
;= 8b160000
        add     dx,IIR
;= 83c202
again:  in      al,dx
;= ec
        test    al,1
;= a801
        jnz     done
;= 7520
        sub     dx,IIR
;= 83ea02
        in      al,dx
;= ec
        mov     bx,RxHead
;= 8b1e0000
        mov     buffer[bx],al
;= 88870000
        inc     bx
;= 43
        and     bx,BufSize-1
;= 81e3ff03
        cmp     bx,RxTail
;= 3b1e0000
        je      full
;= 7404
        mov     RxHead,bx
;= 891e0000
full:   add     dx,IIR
;= 83c202
        jmp     again
;= ebdb
done:   mov     al,20h
;= b020
        out     20h,al
;= e620
        pop     ds
;= 1f
        pop     dx
;= 5a
        pop     bx
;= 5b
        pop     ax
;= 58
        iret
;= cf
handler endp
ComInit proc    far port:word, rate:byte
        mov     ax,port
;= 558bec8b4608
        mov     ComPort,ax
;= a30000
        mov     dx,ax
;= 8bd0
        add     dx,LCR
;= 83c203
        mov     al,80h
;= b080
        out     dx,al
;= ee
        mov     bl,rate
;= 8a5e06
        xor     bh,bh
;= 32ff
        shl     bx,1
;= d1e3
        mov     ax,cs:divisors[bx]
;= 2e8b870000
        sub     dx,LCR
;= 83ea03
        out     dx,al
;= ee
        inc     dx
;= 42
        xchg    al,ah
;= 86c4
        out     dx,al
;= ee
        mov     word ptr OldVec,offset handler
;= c70600000a00
        mov     word ptr OldVec+2,cs
;= 8c0e0200
        ret
;= 5dca0400
ComInit endp
ComDone proc    far
        mov     dx,ComPort
;= 8b160000
        add     dx,MCR
;= 83c204
        xor     al,al
;= 32c0
        out     dx,al
;= ee
        ret
;= cb
ComDone endp
ComRead proc    far
        mov     bx,RxTail
;= 8b1e0000
        cmp     bx,RxHead
;= 3b1e0000
        mov     ax,-1
;= b8ffff
        je      @@none
;= 740f
        mov     al,buffer[bx]
;= 8a870000
        xor     ah,ah
;= 32e4
        inc     bx
;= 43
        and     bx,BufSize-1
;= 81e3ff03
        mov     RxTail,bx
;= 891e0000
@@none: ret
;= cb
ComRead endp
ComWrite proc   far value:byte
        mov     dx,ComPort
;= 558bec8b160000
        add     dx,LSR
;= 83c205
@@w:    in      al,dx
;= ec
        test    al,20h
;= a820
        jz      @@w
;= 74fb
        sub     dx,LSR
;= 83ea05
        mov     al,value
;= 8a4606
        out     dx,al
;= ee
        ret
;= 5dca0200
ComWrite endp
        end
