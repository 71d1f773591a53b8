        title   Life
        .model  small, basic
        .stack  256
        .data
W       equ     64
H       equ     48
cur     db      (W+2)*(H+2) dup (0)
;= 3300 bytes, ed6758e5
nxt     db      (W+2)*(H+2) dup (0)
;= 3300 bytes, ed6758e5
curp    dw      cur
;= 0000
nxtp    dw      nxt
;= e40c
rules   db      0,0,0,1,0,0,0,0,0
;= 000000010000000000
        db      0,0,1,1,0,0,0,0,0
;= 000001010000000000
neigh   dw      -W-3,-W-2,-W-1,-1,1,W+1,W+2,W+3
;= bdffbeffbfffffff0100410042004300
gen     dw      0
;= 0000
        .const
title_  db      'LIFE',0
;= 4c49464500
        .code
step    proc    near uses si di bx cx dx
        mov     si,curp
;= 56575351528b36c819
        mov     di,nxtp
;= 8b3eca19
        add     si,W+3
;= 83c643
        add     di,W+3
;= 83c743
        mov     cx,W*H
;= b9000c
l1:     xor     ax,ax
;= 33c0
        i       = 0
        rept    8
        mov     bx,neigh+i
        add     al,[si+bx]
        i       = i+2
        endm
;= 8b1ede1902008b1ee01902008b1ee21902008b1ee41902008b1ee61902008b1ee81902008b1eea1902008b1eec190200
        mov     bx,ax
;= 8bd8
        cmp     byte ptr [si],1
;= 803c01
        cmc
;= f5
        sbb     ax,ax
;= 1bc0
        and     ax,9
;= 83e009
        add     bx,ax
;= 03d8
        mov     al,rules[bx]
;= 8a87cc19
        mov     [di],al
;= 8805
        inc     si
;= 46
        inc     di
;= 47
        loop    l1
;= e2b7
        mov     ax,curp
;= a1c819
        xchg    ax,nxtp
;= 8706ca19
        mov     curp,ax
;= a3c819
        inc     gen
;= ff06ee19
        ret
;= 5a595b5f5ec3
step    endp
seed    proc    near basic, xpos:word, ypos:word, value:byte
        local   ofs:word
        mov     ax,ypos
;= 558bec83ec028b4606
        mov     dx,W+2
;= ba4200
        mul     dx
;= f7e2
        add     ax,xpos
;= 034608
        mov     ofs,ax
;= 8946fe
        mov     bx,curp
;= 8b1ec819
        add     bx,ofs
;= 035efe
        mov     al,value
;= 8a4604
        mov     [bx],al
;= 8807
        ret
;= 8be55dc20600
seed    endp
start:  mov     ax,@data
;= b81d10
        mov     ds,ax
;= 8ed8
        push    5
;= 6a05
;! push | warning: the 8086 cannot push a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM pushes in several instructions
        push    5
;= 6a05
        push    1
;= 6a01
        call    seed
;= e8ccff
        invoke  seed, 6, 5, 1
;= 6a066a056a01e8c3ff
        invoke  seed, 7, 5, al
;= 6a076a0532e450e8b9ff
        call    step
;= e843ff
        mov     ax,4c00h
;= b8004c
        int     21h
;= cd21
        end     start
