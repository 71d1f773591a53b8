        page    60,132
        title   SBPLAY - direct DSP output on a Sound Blaster
;-------------------------------------------------------------------------
_TEXT   segment word public 'CODE'
_TEXT   ends
_DATA   segment word public 'DATA'
_DATA   ends
_BSS    segment word public 'BSS'
_BSS    ends
DGROUP  group   _DATA, _BSS

BASE_PORT       =       220h
DSP_RESET       =       BASE_PORT+6
DSP_READ        =       BASE_PORT+0Ah
DSP_WRITE       =       BASE_PORT+0Ch
DSP_STATUS      =       BASE_PORT+0Eh
TIMER_CONST     equ     (256 - 1000000/11025)

_DATA   segment
banner  db      'Sound Blaster at port ',0
;= 536f756e6420426c617374657220617420706f72742000
        db      13,10,'$'
;= 0d0a24
oldint  dd      ?
;= 00000000
busy    db      0
;= 00
dmamask db      not 1
;= fe
_DATA   ends

_BSS    segment
dmabuf  db      2048 dup (?)
;= 2048 bytes, 15afddc5
bufend  label   byte
_BSS    ends

_TEXT   segment
        assume  cs:_TEXT, ds:DGROUP, es:nothing

writedsp macro  value
        local   again
        mov     dx,DSP_WRITE
again:  in      al,dx
        or      al,al
        js      again
        ifnb    <value>
        mov     al,value
        else
        mov     al,ah
        endif
        out     dx,al
        endm

        public  _sb_reset, _sb_play
_sb_reset proc  far
        mov     dx,DSP_RESET
;= ba2602
        mov     al,1
;= b001
        out     dx,al
;= ee
        mov     cx,100
;= b96400
delay:  loop    delay
;= e2fe
        xor     al,al
;= 32c0
        out     dx,al
;= ee
        mov     dx,DSP_STATUS
;= ba2e02
        mov     cx,200
;= b9c800
poll:   in      al,dx
;= ec
        and     al,80h
;= 2480
        jnz     ready
;= 7506
        loop    poll
;= e2f9
        mov     ax,-1
;= b8ffff
        ret
;= cb
ready:  mov     dx,DSP_READ
;= ba2a02
        in      al,dx
;= ec
        cmp     al,0AAh
;= 3caa
        jne     poll
;= 75ed
        xor     ax,ax
;= 33c0
        ret
;= cb
_sb_reset endp

_sb_play proc   far
        push    bp
;= 55
        mov     bp,sp
;= 8bec
        push    ds
;= 1e
        mov     ax,DGROUP
;= b81c10
        mov     ds,ax
;= 8ed8
        mov     ax,seg dmabuf
;= b81c10
        mov     bx,offset DGROUP:dmabuf
;= bb2800
        mov     dx,ax
;= 8bd0
        mov     cl,4
;= b104
        rol     dx,cl
;= d3c2
        mov     cx,dx
;= 8bca
        and     cx,0Fh
;= 83e10f
        and     dx,0FFF0h
;= 83e2f0
        add     bx,dx
;= 03da
        adc     cx,0
;= 83d100
        mov     al,5
;= b005
        out     0Ah,al
;= e60a
        mov     al,bl
;= 8ac3
        out     02h,al
;= e602
        mov     al,bh
;= 8ac7
        out     02h,al
;= e602
        mov     al,cl
;= 8ac1
        out     83h,al
;= e683
        mov     ax,(offset bufend - offset dmabuf) - 1
;= b8ff07
        out     03h,al
;= e603
        mov     al,ah
;= 8ac4
        out     03h,al
;= e603
        mov     al,dmamask
;= a02700
        and     al,not 128
;= 247f
        out     0Ah,al
;= e60a
        writedsp 40h
;= ba2c02ec0ac078fbb040ee
        writedsp TIMER_CONST
;= ba2c02ec0ac078fbb0a6ee
        writedsp 14h
;= ba2c02ec0ac078fbb014ee
        mov     ah,low 2047
;= b4ff
        writedsp
;= ba2c02ec0ac078fb8ac4ee
        mov     ah,high 2047
;= b407
        writedsp
;= ba2c02ec0ac078fb8ac4ee
        mov     busy,1
;= c606260001
        pop     ds
;= 1f
        pop     bp
;= 5d
        ret
;= cb
_sb_play endp

handler proc    far
        push    ax
;= 50
        push    dx
;= 52
        push    ds
;= 1e
        mov     ax,DGROUP
;= b81c10
        mov     ds,ax
;= 8ed8
        assume  ds:DGROUP
        mov     busy,0
;= c606260000
        mov     dx,DSP_STATUS
;= ba2e02
        in      al,dx
;= ec
        mov     al,20h
;= b020
        out     20h,al
;= e620
        pop     ds
;= 1f
        assume  ds:nothing
        pop     dx
;= 5a
        pop     ax
;= 58
        iret
;= cf
handler endp
_TEXT   ends
        end
