; Wolf3D-like: RULES.ASI usage in IDEAL and C startup
IDEAL
MODEL   MEDIUM,C,
P286
EVENDATA = 2
SCREENSEG       =       0a000h
STATUS_REGISTER_1 = 03dah
MACRO   WAITDE
        local   @@l1
@@l1:   in      al,dx
        test    al,1
        jnz     @@l1
ENDM
DATASEG
EXTRN   bufferofs       :WORD
EXTRN   ylookup:WORD:200
fontcount dw    0
;= 0000
LABEL   fontseg WORD
        dw      0,0
;= 00000000
CODESEG
; Name: VL_WaitVBL
PROC    VL_WaitVBL  num:WORD
USES    SI,DI
PUBLIC  VL_WaitVBL
        mov     dx,STATUS_REGISTER_1
;= 558bec5657bada03
        mov     cx,[num]
;= 8b4e06
@@waitvbl:
        in      al,dx
;= ec
        jmp     $+2
;= eb00
        test    al,8
;= a808
        jnz     @@waitvbl
;= 75f9
        loop    @@waitvbl
;= e2f7
        ret
;= 5f5ec9cb
ENDP
PROC    VL_ScreenToScreen source:WORD, dest:WORD, wide:WORD, height:WORD
PUBLIC  VL_ScreenToScreen
USES    SI,DI
        pushf
;= 558bec56579c
        cli
;= fa
        mov     dx,3c4h
;= bac403
        mov     ax,2+15*256
;= b8020f
        out     dx,ax
;= ef
        popf
;= 9d
        mov     bx,[ylookup+2]
;= 8b1e0200
        sub     bx,[wide]
;= 2b5e0a
        mov     ax,[bufferofs]
;= a10000
        mov     si,[source]
;= 8b7606
        mov     di,[dest]
;= 8b7e08
        mov     dx,[height]
;= 8b560c
        mov     ax,[WORD ptr SCREENSEG+si]
;= 8b8400a0
        push    ds
;= 1e
        mov     ds,ax
;= 8ed8
@@lineloop:
        mov     cx,[wide]
;= 8b4e0a
rep     movsb
;= f3a4
        add     si,bx
;= 03f3
        dec     dx
;= 4a
        jnz     @@lineloop
;= 75f6
        mov     ax,ss
;= 8cd0
        mov     ds,ax
;= 8ed8
        ret
;= 5f5ec9cb
ENDP
PROC    _retf NEAR
        mov     ax,[ss:fontcount]
;= 36a10000
        cmp     [BYTE PTR es:bx],'"'
;= 26803f22
        mov     [WORD es:di],(5 SHL 2)
;= 26c7051400
        ret
;= c3
ENDP
MASM
EXTRN   _farmalloc:FAR
MyProc  PROC FAR p1:DWORD, p2:WORD
        LOCAL x1:WORD
        les     di,p1
;= 558bec83ec02c47e06
        mov     ax,p2
;= 8b460a
        mov     x1,ax
;= 8946fe
        ret
;= c9cb
MyProc  ENDP
END
