        NAME    c0
        PAGE    60,132
        LOCALS
__C0__  = 1
; startup in the manner of a C compiler's c0.asm
__TINY__ equ 0
__SMALL__ equ 1
IFNDEF  __MODEL__
        IF      __SMALL__
        LPROG   equ 0
        LDATA   equ 0
        ENDIF
ENDIF
PSPHigh         equ     00002h
PSPEnv          equ     0002ch
MINSTACK        equ     128
ExtSym@ MACRO   sym,type,lang
        IFIDNI  <lang>,<__CDECL__>
        EXTRN   _&sym:type
sym     EQU     <_&sym>
        ELSE
        EXTRN   sym:type
        ENDIF
        ENDM
PubSym@ MACRO   sym,def,lang
        IFIDNI  <lang>,<__CDECL__>
        PUBLIC  _&sym
_&sym   def
        ELSE
        PUBLIC  sym
sym     def
        ENDIF
        ENDM
ExtProc@ MACRO  p,lang
        ExtSym@ p,NEAR,lang
        ENDM
_TEXT   SEGMENT BYTE PUBLIC 'CODE'
_TEXT   ENDS
_DATA   SEGMENT PARA PUBLIC 'DATA'
_DATA   ENDS
_INIT_  SEGMENT WORD PUBLIC 'INITDATA'
InitStart label byte
_INIT_  ENDS
_INITEND_ SEGMENT BYTE PUBLIC 'INITDATA'
InitEnd label   byte
_INITEND_ ENDS
_BSS    SEGMENT WORD PUBLIC 'BSS'
_BSS    ENDS
_BSSEND SEGMENT BYTE PUBLIC 'BSSEND'
_BSSEND ENDS
IFE     LDATA
_STACK  SEGMENT STACK 'STACK'
_STACK  ENDS
DGROUP  GROUP   _DATA,_INIT_,_INITEND_,_BSS,_BSSEND,_STACK
ENDIF
        ASSUME  CS:_TEXT, DS:DGROUP
        ExtSym@ _stklen,WORD,__CDECL__
        ExtProc@ main,__CDECL__
        ExtProc@ exit,__CDECL__
_TEXT   SEGMENT
STARTX  PROC    NEAR
        mov     dx, DGROUP
;= ba1810
        mov     cs:DGROUP@@, dx
;= 2e89167d00
        mov     ah, 30h
;= b430
        int     21h
;= cd21
        mov     bp, ds:[PSPHigh]
;= 8b2e0200
        mov     bx, ds:[PSPEnv]
;= 8b1e2c00
        mov     ds, dx
;= 8eda
        mov     _version@, ax
;= a30200
        mov     word ptr _envLng@ + 2, bx
;= 891e0600
        les     di, dword ptr _envLng@
;= c43e0400
        mov     ax, di
;= 8bc7
        mov     bx, ax
;= 8bd8
        mov     cx, 07FFFh
;= b9ff7f
        cld
;= fc
@@EnvLoop:
        repnz   scasb
;= f2ae
        jcxz    InitFailed
;= e33f
        inc     bx
;= 43
        cmp     es:[di], al
;= 263805
        jne     @@EnvLoop
;= 75f6
        or      ch, 10000000b
;= 80cd80
        neg     cx
;= f7d9
        mov     dx, _stklen
;= 8b160000
        add     dx, offset DGROUP: edata@
;= 81c22600
        jb      InitFailed
;= 722a
        mov     cl, 4
;= b104
        shr     di, cl
;= d3ef
        cli
;= fa
        mov     ss, dx
;= 8ed2
        mov     sp, di
;= 8be7
        sti
;= fb
IFE LDATA
        xor     ax, ax
;= 33c0
        mov     es, cs:DGROUP@@
;= 2e8e067d00
        mov     di, offset DGROUP: bdata@
;= bf2600
        mov     cx, offset DGROUP: edata@
;= b92600
        sub     cx, di
;= 2bcf
        rep     stosb
;= f3aa
ENDIF
        mov     si,offset DGROUP:InitStart
;= be2600
        mov     di,offset DGROUP:InitEnd
;= bf2600
        cmp     si,di
;= 3bf7
        call    main
;= e80000
        push    ax
;= 50
        call    exit
;= e80000
InitFailed label near
        mov     cx, lgth_nomsg
;= b91e00
        mov     dx, offset DGROUP: nomsg
;= ba0800
        jmp     MsgExit3
;= eb00
MsgExit3 label  near
        mov     ah,040h
;= b440
        int     21h
;= cd21
        mov     ax, 3 OR (04Ch SHL 8)
;= b8034c
        int     21h
;= cd21
STARTX  ENDP
DGROUP@@ dw     ?
;= 0000
        PubSym@ abort,<PROC NEAR>,__CDECL__
        ret
;= c3
_abort  ENDP
_TEXT   ENDS
_DATA   SEGMENT
        PubSym@ errno,<dw 0>,__CDECL__
;= 0000
        PubSym@ _version@,<label word>,__PASCAL__
        db      2 dup(?)
;= 0000
_envLng@ label  dword
        dd      0
;= 00000000
nomsg   db      'Abnormal program termination', 13, 10
;= 41626e6f726d616c2070726f6772616d207465726d696e6174696f6e0d0a
lgth_nomsg equ  $ - nomsg
_DATA   ENDS
_BSS    SEGMENT
bdata@  label   byte
_BSS    ENDS
_BSSEND SEGMENT
edata@  label   byte
_BSSEND ENDS
IFE LDATA
_STACK  SEGMENT
        db      MINSTACK dup(?)
;= 128 bytes, 388dd1c5
_STACK  ENDS
ENDIF
        END     STARTX
