        page    60,132
        title   CLOCK - resident clock
        subttl  Equates
;--------------------------------------------------------------
cr      equ     0dh
lf      equ     0ah
cseg    segment para public 'code'
        assume  cs:cseg,ds:cseg,es:cseg,ss:cseg
        org     2ch
envseg  label   word
        org     80h
cmdlen  db      ?
;= 00
cmdline db      127 dup (?)
;= 127 bytes, f6c5f63d
        org     100h
begin:  jmp     install
;= e99e00
old1c   label   dword
old1cO  dw      ?
;= 0000
old1cS  dw      ?
;= 0000
old9    dd      0
;= 00000000
active  db      0
;= 00
magic   dw      'CK'
;= 4b43
msgtime db      ' 00:00:00 ',0
;= 2030303a30303a30302000
ATTR    equ     70h
        even
;= 90
new1c   proc    far
        sti
;= fb
        cmp     cs:active,0
;= 2e803e0b0100
        jne     c_exit
;= 755b
        inc     cs:active
;= 2efe060b01
        push    ax
;= 50
        push    bx
;= 53
        push    cx
;= 51
        push    dx
;= 52
        push    di
;= 57
        push    si
;= 56
        push    es
;= 06
        push    ds
;= 1e
        push    cs
;= 0e
        pop     ds
;= 1f
        mov     ah,02
;= b402
        int     1ah
;= cd1a
        jc      c_done
;= 7239
        mov     al,ch
;= 8ac5
        lea     di,msgtime+1
;= 8d3e0f01
        call    bcd2
;= e84200
        mov     al,cl
;= 8ac1
        inc     di
;= 47
        call    bcd2
;= e83c00
        mov     al,dh
;= 8ac6
        inc     di
;= 47
        call    bcd2
;= e83600
        mov     ax,40h
;= b84000
        mov     es,ax
;= 8ec0
        mov     al,es:[49h]
;= 26a04900
        mov     bx,0b000h
;= bb00b0
        cmp     al,7
;= 3c07
        je      mono
;= 7402
        mov     bh,0b8h
;= b7b8
mono:   mov     es,bx
;= 8ec3
        mov     di,(80-10)*2
;= bf8c00
        mov     si,offset msgtime
;= be0e01
        mov     ah,ATTR
;= b470
put:    lodsb
;= ac
        or      al,al
;= 0ac0
        jz      c_done
;= 7403
        stosw
;= ab
        jmp     put
;= ebf8
c_done: pop     ds
;= 1f
        pop     es
;= 07
        pop     si
;= 5e
        pop     di
;= 5f
        pop     dx
;= 5a
        pop     cx
;= 59
        pop     bx
;= 5b
        pop     ax
;= 58
        dec     cs:active
;= 2efe0e0b01
c_exit: jmp     dword ptr cs:old1c
;= 2eff2e0301
new1c   endp
bcd2    proc    near
        push    ax
;= 50
        shr     al,1
;= d0e8
        shr     al,1
;= d0e8
        shr     al,1
;= d0e8
        shr     al,1
;= d0e8
        add     al,'0'
;= 0430
        mov     [di],al
;= 8805
        inc     di
;= 47
        pop     ax
;= 58
        and     al,0fh
;= 240f
        or      al,30h
;= 0c30
        mov     [di],al
;= 8805
        inc     di
;= 47
        ret
;= c3
bcd2    endp
new9:   pushf
;= 9c
        call    cs:old9
;= 2eff1e0701
        iret
;= cf
lastbyte equ    $
        subttl  Installation
        page +
install:
        mov     dx,offset banner
;= baeb01
        mov     ah,9
;= b409
        int     21h
;= cd21
        cmp     cmdlen,1
;= 803e800001
        jbe     go
;= 7608
        cmp     word ptr cmdline[1],'u/'
;= 813e82002f75
        jz      unload
;= 742e
go:     mov     ax,351ch
;= b81c35
        int     21h
;= cd21
        mov     old1cO,bx
;= 891e0301
        mov     old1cS,es
;= 8c060501
        mov     word ptr old9,bx
;= 891e0701
        mov     word ptr old9+2,es
;= 8c060901
        mov     ax,251ch
;= b81c25
        lea     dx,new1c
;= 8d161a01
        int     21h
;= cd21
        mov     es,envseg
;= 8e062c00
        mov     ah,49h
;= b449
        int     21h
;= cd21
        mov     dx,(offset lastbyte - offset cseg + 15) shr 4
;= ba1b00
        mov     ax,3100h
;= b80031
        int     21h
;= cd21
unload: mov     ax,cs:[magic]
;= 2ea10c01
        int     20h
;= cd20
banner  db      'CLOCK 1.0',cr,lf
;= 434c4f434b20312e300d0a
        db      "It's resident",cr,lf,'$'
;= 49742773207265736964656e740d0a24
cseg    ends
        end     begin
