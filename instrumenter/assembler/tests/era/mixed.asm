; MIXED.INC as with MASM 5.1, and its hl macros
        .MODEL  MEDIUM,C
FPUSH   MACRO   arg
        IFIDNI  <arg>,<DS>
        push    ds
        ELSE
        mov     ax,SEG arg
        push    ax
        ENDIF
        mov     ax,OFFSET arg
        push    ax
        ENDM
LoadPtr MACRO   sreg,dreg,adr
        IF      @DataSize
        IFIDNI  <sreg>,<DS>
        push    ds
        lds     dreg,adr
        ELSE
        l&sreg  dreg,adr
        ENDIF
        ELSE
        IFIDNI  <sreg>,<ES>
        push    ds
        pop     es
        ENDIF
        mov     dreg,adr
        ENDIF
        ENDM
setModel MACRO
        IFDEF   model
%       .MODEL  model
        ENDIF
        ENDM
        setModel
%IF     @CodeSize
fsz     EQU     <FAR>
        ELSE
fsz     EQU     <NEAR>
        ENDIF
        .DATA
buf     DB      80 DUP (?)
;= 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
tabl    DB      0,1,2
;= 000102
        DB      10 DUP (0),1
;= 0000000000000000000001
        .CODE
        PUBLIC  strlen_
strlen_ PROC    fsz USES di, s:PTR BYTE
        LOCAL   n:WORD
        LoadPtr es,di,s
;= 558bec83ec02571e078b7e06
        xor     al,al
;= 32c0
        mov     cx,-1
;= b9ffff
        repne   scasb
;= f2ae
        not     cx
;= f7d1
        dec     cx
;= 49
        mov     n,cx
;= 894efe
        mov     ax,n
;= 8b46fe
        ret
;= 5f8be55dcb
strlen_ ENDP
show    PROC    USES ds si, a:FAR PTR, b:WORD, c1:DWORD
        lds     si,a
;= 558bec1e56c57606
        FPUSH   buf
;= b8141050b8000050
        mov     ax,b
;= 8b460a
        mov     dx,word ptr c1+2
;= 8b560e
        pop     ds
;= 1f
        ret
;= 5e1f5dcb
show    ENDP
        END
