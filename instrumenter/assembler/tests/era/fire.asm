; A fire effect in 320x200, TASM ideal mode. Assemble with  tasm /m2 fire ; tlink /t fire
        ideal
        model   tiny
        p386
        codeseg
        org     100h
        jumps
        locals  @@

macro   WaitVRT
local   wait1,wait2
        mov     dx,3dah
wait1:  in      al,dx
        test    al,8
        jnz     wait1
wait2:  in      al,dx
        test    al,8
        jz      wait2
endm    WaitVRT

start:
        mov     ax,13h
;= b81300
        int     10h
;= cd10
        call    SetPalette
;= e84400
        push    ds
;= 1e
        pop     es
;= 07
        mov     di,offset buffer
;= bfc501
        mov     cx,320*100/2
;= b9803e
        xor     ax,ax
;= 33c0
        rep     stosw
;= f3ab
@@main:
        call    NewLine
;= e85d00
        call    Spread
;= e87f00
        WaitVRT
;= bada03eca80875fbeca80874fb
        mov     ax,0a000h
;= b800a0
        mov     es,ax
;= 8ec0
        mov     si,offset buffer
;= bec501
        mov     di,320*50
;= bf803e
        mov     cx,320*98/4
;= b9a01e
        rep     movsd
;= f366a5
        mov     ah,1
;= b401
        int     16h
;= cd16
        jz      @@main
;= 74d6
        xor     ah,ah
;= 32e4
        int     16h
;= cd16
        mov     ax,3
;= b80300
        int     10h
;= cd10
        mov     ax,4c00h
;= b8004c
        int     21h
;= cd21

proc    SetPalette near
        uses    ax,cx,dx
        mov     dx,3c8h
;= 505152bac803
        xor     al,al
;= 32c0
        out     dx,al
;= ee
        inc     dx
;= 42
        xor     cx,cx
;= 33c9
@@next: mov     al,cl
;= 8ac1
        shr     al,1
;= d0e8
        cmp     al,63
;= 3c3f
        jbe     @@ok
;= 7602
        mov     al,63
;= b03f
@@ok:   out     dx,al
;= ee
        mov     al,cl
;= 8ac1
        shr     al,3
;= c0e803
        out     dx,al
;= ee
        xor     al,al
;= 32c0
        out     dx,al
;= ee
        inc     cl
;= fec1
        jnz     @@next
;= 75e8
        ret
;= 5a5958c3
endp    SetPalette

proc    NewLine near
        mov     cx,320
;= b94001
        mov     di,offset buffer+320*98
;= bf457c
@@next: mov     eax,[seed]
;= 66a1c101
        imul    eax,eax,343fdh
;= 6669c0fd430300
        add     eax,269ec3h
;= 6605c39e2600
        mov     [seed],eax
;= 66a3c101
        shr     eax,16
;= 66c1e810
        mov     [byte di],al
;= 8805
        inc     di
;= 47
        loop    @@next
;= e2e2
        ret
;= c3
endp    NewLine

proc    Spread near
        mov     si,offset buffer+320
;= be0503
        mov     cx,320*98
;= b9807a
@@next: movzx   ax,[byte ptr si]
;= 0fb604
        movzx   bx,[byte ptr si+1]
;= 0fb65c01
        add     ax,bx
;= 03c3
        mov     bl,[si-1]
;= 8a5cff
        add     ax,bx
;= 03c3
        mov     bl,[si+320]
;= 8a9c4001
        add     ax,bx
;= 03c3
        shr     ax,2
;= c1e802
        jz      @@zero
;= 7401
        dec     ax
;= 48
@@zero: mov     [byte ptr si-320],al
;= 8884c0fe
        inc     si
;= 46
        loop    @@next
;= e2df
        ret
;= c3
endp    Spread

seed    dd      12345678h
;= 78563412
label   buffer  byte
        ends
        end     start
