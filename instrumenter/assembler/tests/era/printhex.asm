; PRINT.ASM - number printing, A86-free TASM style with @@ and nested procs
        DOSSEG
        MODEL   SMALL
        STACK   200h
        P286
        LOCALS
DATASEG
HexTab          DB      '0123456789ABCDEF'
;= 30313233343536373839414243444546
Buffer          DB      6 DUP (0),'$'
;= 00000000000024
Msg             DB      'AX = $'
;= 4158203d2024
Flags           =       0
F_ZERO          EQU     00000001b
F_SIGN          EQU     00000010b
State           DB      F_ZERO OR F_SIGN
;= 03
CODESEG
Main    PROC
        mov     ax,@data
;= b81610
        mov     ds,ax
;= 8ed8
        mov     es,ax
;= 8ec0
        mov     ax,0BEEFh
;= b8efbe
        call    Hex
;= e81400
        call    Decimal
;= e83500
        TESTFLAG State,F_SIGN
;= f6061d0002
        jz      @@noSign
;= 7405
        MASKFLAG State,NOT F_SIGN
;= 80261d00fd
@@noSign:
        EXITCODE 0
;= b8004ccd21
Main    ENDP

Hex     PROC NEAR
        pusha
;= 60
        mov     di,OFFSET Buffer
;= bf1000
        mov     cx,4
;= b90400
@@digit:
        rol     ax,4
;= c1c004
        mov     bx,ax
;= 8bd8
        and     bx,0Fh
;= 83e30f
        mov     dl,HexTab[bx]
;= 8a970000
        mov     [di],dl
;= 8815
        inc     di
;= 47
        loop    @@digit
;= e2ef
        mov     BYTE PTR [di],'$'
;= c60524
        mov     dx,OFFSET Buffer
;= ba1000
        mov     ah,9
;= b409
        int     21h
;= cd21
        popa
;= 61
        ret
;= c3
Hex     ENDP

Decimal     PROC NEAR
        pusha
;= 60
        mov     bx,10
;= bb0a00
        xor     cx,cx
;= 33c9
@@div:  xor     dx,dx
;= 33d2
        div     bx
;= f7f3
        push    dx
;= 52
        inc     cx
;= 41
        or      ax,ax
;= 0bc0
        jnz     @@div
;= 75f6
@@out:  pop     ax
;= 58
        add     al,'0'
;= 0430
        mov     ah,0Eh
;= b40e
        int     10h
;= cd10
        loop    @@out
;= e2f7
        popa
;= 61
        ret
;= c3
Decimal     ENDP
        END     Main
