; Reads BIOS variables through segments at fixed places, and jumps into ROM
BIOSSEG segment at 40h
        org     17h
kbflag  db      ?
;= 00
kbflag1 db      ?
;= 00
        org     1Ah
bufhead dw      ?
;= 0000
buftail dw      ?
;= 0000
kbbuf   dw      16 dup (?)
;= 0000000000000000000000000000000000000000000000000000000000000000
        org     49h
crtmode db      ?
;= 00
cols    dw      ?
;= 0000
        org     6Ch
timerlo dw      ?
;= 0000
timerhi dw      ?
;= 0000
        org     72h
resetfl dw      ?
;= 0000
BIOSSEG ends
ROMSEG  segment at 0FFFFh
reset   label   far
ROMSEG  ends
VECS    segment at 0
        org     4*9
int9o   dw      ?
;= 0000
int9s   dw      ?
;= 0000
        org     4*1Ch
int1c   dd      ?
;= 00000000
VECS    ends
VIDEO   segment at 0B800h
screen  dw      80*25 dup (?)
;= 4000 bytes, cd0ab6c5
VIDEO   ends
CODE    segment
        assume  cs:CODE, ds:BIOSSEG, es:VIDEO, ss:STK
main    proc    far
        mov     ax,BIOSSEG
;= b84000
        mov     ds,ax
;= 8ed8
        mov     ax,VIDEO
;= b800b8
        mov     es,ax
;= 8ec0
        mov     al,kbflag
;= a01700
        and     al,not 20h
;= 24df
        mov     kbflag,al
;= a21700
        mov     bx,bufhead
;= 8b1e1a00
        cmp     bx,buftail
;= 3b1e1c00
        je      empty
;= 740d
        mov     ax,[bx]
;= 8b07
        mov     screen[0],ax
;= 26a30000
        mov     screen+2,0720h
;= 26c70602002007
empty:  mov     ax,timerlo
;= a16c00
        mov     dx,timerhi
;= 8b166e00
        mov     cx,cols
;= 8b0e4a00
        push    ds
;= 1e
        xor     ax,ax
;= 33c0
        mov     ds,ax
;= 8ed8
        assume  ds:VECS
        mov     ax,int9o
;= a12400
        mov     bx,int9s
;= 8b1e2600
        les     di,int1c
;= c43e7000
        assume  es:nothing
        mov     word ptr int1c,offset main
;= c70670000000
        mov     word ptr int1c[2],cs
;= 8c0e7200
        pop     ds
;= 1f
        assume  ds:BIOSSEG
        mov     resetfl,1234h
;= c70672003412
        jmp     reset
;= ea0000ffff
main    endp
CODE    ends
STK     segment stack
        dw      100 dup (?)
;= 200 bytes, dad72705
STK     ends
        end     main
