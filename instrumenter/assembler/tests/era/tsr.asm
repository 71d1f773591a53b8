;  CLOCK.ASM - resident clock in the upper right corner
;  masm clock; link clock; exe2bin clock clock.com
cseg    segment para public 'code'
        assume  cs:cseg,ds:cseg,es:nothing
        org     2Ch
envseg  dw      ?
;= 0000
        org     80h
cmdlen  db      ?
;= 00
cmdline db      127 dup (?)
;= 127 bytes, f6c5f63d
        org     100h
entry:  jmp     install
;= e99400

old1c   label   dword
old1co  dw      0
;= 0000
old1cs  dw      0
;= 0000
count   db      18
;= 12
busy    db      0
;= 00
vidseg  dw      0B800h
;= 00b8
time    db      '00:00:00'
;= 30303a30303a3030
timelen equ     $-time
magic   dw      0C10Ch
;= 0cc1

newint  proc    far
        pushf
;= 9c
        call    cs:[old1c]
;= 2eff1e0301
        cmp     cs:busy,0
;= 2e803e080100
        jne     nogo
;= 7507
        dec     cs:count
;= 2efe0e0701
        jz      go
;= 7401
nogo:   iret
;= cf
go:     mov     cs:count,18
;= 2ec606070112
        mov     cs:[busy],1
;= 2ec606080101
        push    ax
;= 50
        push    bx
;= 53
        push    cx
;= 51
        push    dx
;= 52
        push    si
;= 56
        push    di
;= 57
        push    ds
;= 1e
        push    es
;= 06
        push    cs
;= 0e
        pop     ds
;= 1f
        cld
;= fc
        mov     ah,2
;= b402
        int     1Ah
;= cd1a
        mov     al,ch
;= 8ac5
        lea     bx,time
;= 8d1e0b01
        call    bcd
;= e83200
        mov     al,cl
;= 8ac1
        add     bx,3
;= 83c303
        call    bcd
;= e82a00
        mov     al,dh
;= 8ac6
        lea     bx,time+6
;= 8d1e1101
        call    bcd
;= e82100
        mov     es,vidseg
;= 8e060901
        mov     di,2*(80-timelen)
;= bf9000
        mov     si,offset time
;= be0b01
        mov     cx,timelen
;= b90800
        mov     ah,1Eh
;= b41e
show:   lodsb
;= ac
        stosw
;= ab
        loop    show
;= e2fc
        mov     busy,0
;= c606080100
        pop     es
;= 07
        pop     ds
;= 1f
        pop     di
;= 5f
        pop     si
;= 5e
        pop     dx
;= 5a
        pop     cx
;= 59
        pop     bx
;= 5b
        pop     ax
;= 58
        iret
;= cf
newint  endp

bcd     proc    near
        push    ax
;= 50
        mov     ah,al
;= 8ae0
        and     al,0Fh
;= 240f
        shr     ah,1
;= d0ec
        shr     ah,1
;= d0ec
        shr     ah,1
;= d0ec
        shr     ah,1
;= d0ec
        add     ax,'00'
;= 053030
        xchg    ah,al
;= 86e0
        mov     [bx],ax
;= 8907
        pop     ax
;= 58
        ret
;= c3
bcd     endp
endres  equ     this byte

install proc    near
        mov     ah,0Fh
;= b40f
        int     10h
;= cd10
        cmp     al,7
;= 3c07
        jne     color
;= 7506
        mov     vidseg,0B000h
;= c706090100b0
color:  mov     ax,351Ch
;= b81c35
        int     21h
;= cd21
        cmp     es:[bx-2],0C10Ch
;= 26817ffe0cc1
        je      already
;= 741d
        mov     old1co,bx
;= 891e0301
        mov     old1cs,es
;= 8c060501
        mov     dx,offset newint
;= ba1501
        mov     ax,251Ch
;= b81c25
        int     21h
;= cd21
        mov     es,envseg
;= 8e062c00
        mov     ah,49h
;= b449
        int     21h
;= cd21
        mov     dx,offset endres
;= ba9701
        int     27h
;= cd27
already:
        lea     dx,msg
;= 8d16d901
        mov     ah,9
;= b409
        int     21h
;= cd21
        int     20h
;= cd20
msg     db      'Clock is already resident',0Dh,0Ah,'$'
;= 436c6f636b20697320616c7265616479207265736964656e740d0a24
install endp
cseg    ends
        end     entry
