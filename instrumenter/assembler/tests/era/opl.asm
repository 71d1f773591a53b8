        .model  small,pascal
        .code
        public  WriteFM,DetectFM
fmport  equ     388h
delay   macro   n
        rept    n
        in      al,dx
        endm
        endm
writefm proc    reg:byte,val:byte
        mov     dx,fmport
;= 558becba8803
        mov     al,reg
;= 8a4606
        out     dx,al
;= ee
        delay   6
;= ecececececec
        inc     dl
;= fec2
        mov     al,val
;= 8a4604
        out     dx,al
;= ee
        dec     dl
;= feca
        delay   35
;= ececececececececececececececececececececececececececececececececececec
        ret
;= 5dc20400
writefm endp
DetectFM proc
        push    4
;= 6a04
;! push | warning: the 8086 cannot push a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM pushes in several instructions
        push    60h
;= 6a60
        call    WriteFM
;= e8baff
        call    WriteFM,4,80h
;= 6a04688000e8b2ff
        mov     dx,fmport
;= ba8803
        in      al,dx
;= ec
        and     al,0e0h
;= 24e0
        push    ax
;= 50
        call    writefm pascal,2,0ffh
;= 6a0268ff00e8a3ff
        call    writefm,4,21h
;= 6a046a21e89cff
        mov     cx,200
;= b9c800
@@:     in      al,dx
;= ec
        loop    @b
;= e2fd
        in      al,dx
;= ec
        and     al,0e0h
;= 24e0
        pop     bx
;= 5b
        cmp     al,0c0h
;= 3cc0
        jne     no
;= 7504
        mov     ax,1
;= b80100
        ret
;= c3
no:     xor     ax,ax
;= 33c0
        ret
;= c3
DetectFM endp
notes   dw      343,363,385,408,432,458,485,514,544,577,611,647
;= 57016b0181019801b001ca01e50102022002410263028702
        even
;= 90
chantab db      0,1,2,8,9,0ah,10h,11h,12h
;= 00010208090a101112
keyon   proc    near uses bx, chan:byte, note:word, octave:word
        mov     bx,note
;= 558bec538b5e06
        shl     bx,1
;= d1e3
        mov     ax,cs:[notes+bx]
;= 2e8b877900
        mov     cl,byte ptr octave
;= 8a4e04
        shl     cl,2
;= c0e102
        or      ah,cl
;= 0ae1
        or      ah,20h
;= 80cc20
        mov     bl,chan
;= 8a5e08
        xor     bh,bh
;= 32ff
        mov     bl,cs:chantab[bx]
;= 2e8a9f9200
        add     bl,0a0h
;= 80c3a0
        call    writefm,bx,ax
;= 5350e83aff
        ret
;= 5b5dc20600
keyon   endp
        end
