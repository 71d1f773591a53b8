; .RADIX and delta offsets, after public educational listings
.model tiny
.radix 16
.code
        org     100
id_word =       'DA'
entry:  db      0e9,0,0
;= e90000
start:
        call    next
;= e80000
next:   pop     bp
;= 5d
        sub     bp,offset next
;= 81ed0601
        lea     si,[bp+offset old3]
;= 8db67f01
        mov     di,100
;= bf0001
        push    di
;= 57
        movsw
;= a5
        movsb
;= a4
        lea     dx,[bp+endcode]
;= 8d968501
        call    set_dta
;= e85100
        mov     ax,3d02
;= b8023d
        lea     dx,[bp+mask1]
;= 8d967201
        mov     word ptr [bp+jmpcode+1],ax
;= 89868301
        mov     cx,endcode-start
;= b98200
        mov     cx,offset endcode - offset start
;= b98200
        mov     bx,(endcode-start+10) / 10
;= bb0900
        mov     ax,((heap_end-start)/10)+1
;= b80b00
        cmp     word ptr [bp+old3],'ZM'
;= 81be7f014d5a
        mov     byte ptr [bp+0f],0c3
;= c6460fc3
        xor     byte ptr cs:[bx],055
;= 2e803755
        mov     al,0b0
;= b0b0
        mov     al,10t
;= b00a
        mov     al,1010y
;= b00a
        mov     al,17o
;= b00f
        mov     al,17q
;= b00f
        mov     ax,10d
;= b80a00
;! 10d | warning: `10d` is 10, as for MASM 5 and TASM; for MASM 6 its last letter is a digit
;!   = write `10t`, or `10dh` for the number in hexadecimal digits
        mov     ax,101b
;= b80500
        lea     dx,[bp+offset endcode+1e]
;= 8d96a301
        mov     ax,cs:[2c]
;= 2ea12c00
        mov     ax,ds:[0fe]
;= a1fe00
        cmp     word ptr ds:[0],0CDh
;= 813e0000cd00
        mov     es:[0f5*4],ax
;= 26a3d403
        mov     word ptr es:[21*4+2],cs
;= 268c0e8600
        jmp     $
;= ebfe
set_dta: mov    ah,1a
;= b41a
        int     21
;= cd21
        ret
;= c3
mask1   db      '*.com',0
;= 2a2e636f6d00
        db      '[Test]',0
;= 5b546573745d00
old3    db      0cdh,20,0
;= cd2000
jmpcode db      0e9,0,0
;= e90000
endcode label   near
heap:
newdta  db      2a dup (?)
;= 000000000000000000000000000000000000000000000000000000000000000000000000000000000000
heap_end:
end     entry
