; C-callable string functions for the small model (Turbo C), old style with equates for parameters
_TEXT   SEGMENT BYTE PUBLIC 'CODE'
DGROUP  GROUP   _DATA,_BSS
        ASSUME  CS:_TEXT,DS:DGROUP,SS:DGROUP
_TEXT   ENDS
_DATA   SEGMENT WORD PUBLIC 'DATA'
d@      label   byte
d@w     label   word
_counter dw     0
;= 0000
_DATA   ENDS
_BSS    SEGMENT WORD PUBLIC 'BSS'
b@      label   byte
_BSS    ENDS
arg1    equ     word ptr [bp+4]
arg2    equ     word ptr [bp+6]
arg3    equ     <[bp+8]>
local1  equ     [bp-2]
NULL    equ     0
LF      equ     0Ah
BLINK   equ     80h
ATTR    equ     BLINK or (7 shl 4) + 1
_TEXT   SEGMENT
; int strpos(char *s, int c);
_strpos proc    near
        push    bp
;= 55
        mov     bp,sp
;= 8bec
        sub     sp,2
;= 83ec02
        push    si
;= 56
        mov     si,arg1
;= 8b7604
        mov     bx,arg2
;= 8b5e06
        mov     word ptr local1,0
;= c746fe0000
@1@58:  lodsb
;= ac
        cmp     al,bl
;= 3ac3
        je      short @1@98
;= 7409
        or      al,al
;= 0ac0
        jz      short @1@114
;= 740a
        inc     word ptr local1
;= ff46fe
        jmp     short @1@58
;= ebf2
@1@98:  mov     ax,local1
;= 8b46fe
        jmp     short @1@130
;= eb03
@1@114: mov     ax,-1
;= b8ffff
@1@130: inc     word ptr DGROUP:_counter
;= ff060a00
        inc     DGROUP:_counter
;= ff060a00
        mov     dx,arg3
;= 8b5608
        mov     cl,byte ptr arg3
;= 8a4e08
        mov     ax,ATTR
;= b8f100
        mov     ax,offset DGROUP:_counter
;= b80a00
        mov     bx,word ptr DGROUP:d@w+2
;= 8b1e0c00
        lea     ax,DGROUP:b@
;= 8d060c00
        pop     si
;= 5e
        mov     sp,bp
;= 8be5
        pop     bp
;= 5d
        ret
;= c3
_strpos endp
_TEXT   ENDS
        PUBLIC  _strpos
        EXTRN   _printf:NEAR
s@      equ     d@
        PUBLIC  _counter
        END
