; Blanks, parentheses, case and comments as people put them.
        .model  small
        .data
v       dw      5
;= 0500
        .code
start:  .if     ax == 5
;= 83f8057501
        nop
;= 90
        .endif
l2:     .while  ax
;= eb01
        dec     ax
;= 48
        .endw
;= 0bc075fb
        call    word ptr v
;= ff160000
        ; odd spacing and case
        MOV     AX , [ BX + SI + 4 ]
;= 8b4004
        Mov     Ax,Word Ptr V
;= a10000
        mov     ax,[bx][si] [4]
;= 8b4004
        mov     ax,4 [bx] [si]
;= 8b4004
        mov     byte  ptr[bx],5
;= c60705
        mov     word ptr[bx],5
;= c7070500
        mov     byte ptr(v),5
;= c606000005
        mov     al,byte ptr(v+1)
;= a00100
        mov     ax,(v)
;= a10000
        mov     ax,(v+2)
;= a10200
        mov     ax,[(v+2)]
;= a10200
        mov     ax,offset(v)
;= b80000
        mov     ax,offset (v+2)
;= b80200
        mov     ax,(offset v)+2
;= b80200
        mov     ax,size(v)
;= b80200
        mov     ax,type(v)
;= b80200
        mov     ax,(5)
;= b80500
        mov     ax,((5+1)*2)
;= b80c00
        mov     [bx]+2,ax
;= 894702
        mov     [bx]+[si]+2,ax
;= 894002
        mov     2+[bx],ax
;= 894702
        mov     ax,es:[bx]+2
;= 268b4702
        mov     ax,[es:bx]
;= 268b07
        mov     ax,[es:bx+2]
;= 268b4702
        mov     ax,word ptr [es:bx]
;= 268b07
        mov     [es:di],al
;= 268805
        mov     ax,ds:v
;= a10000
        mov     ax,ds:[v]
;= a10000
        mov     ax,ds:[bx].v
;= 8b870000
        jmp     [v]
;= ff260000
        jmp     cs:[v]
;= 2eff260000
        db      5, ; trailing comma comment
;= 0506
        6
        dw      1,2,
;= 0100020003000400
                3,4
        mov     ax,1 ; comment ; more
;= b80100
        ret     ; done
;= c3
        ret     0
;= c20000
        retn    2
;= c20200
        int     21H
;= cd21
        int     0x21
;= cd21
        mov     al,0x5
;= b005
        lock    add     v,1
;= f08306000001
        rep     stosb
;= f3aa
        repz    cmpsb
;= f3a6
        rep
        movsb
;= f3a4
        nop     ;; hidden
;= 90
        end     start   ; the end
