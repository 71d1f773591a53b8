        IDEAL
        MODEL   COMPACT,PASCAL
        P286
STRUC   EMM
        len     DD      ?
        srch    DW      ?
        srco    DD      ?
        dsth    DW      ?
        dsto    DD      ?
ENDS
        DATASEG
xmsctl  DD      ?
;= 00000000
move    EMM     <>
;= 00000000000000000000000000000000
ver     DW      0
;= 0000
found   DB      0
;= 00
        CODESEG
        PUBLIC  XmsInit,XmsAlloc,XmsMove
PROC    XmsInit FAR
        mov     ax,4300h
;= b80043
        int     2fh
;= cd2f
        cmp     al,80h
;= 3c80
        jne     @@no
;= 751b
        mov     ax,4310h
;= b81043
        int     2fh
;= cd2f
        mov     [WORD xmsctl],bx
;= 891e0000
        mov     [WORD xmsctl+2],es
;= 8c060200
        xor     ah,ah
;= 32e4
        call    [xmsctl]
;= ff1e0000
        mov     [ver],ax
;= a31400
        mov     [found],1
;= c606160001
@@no:   mov     al,[found]
;= a01600
        xor     ah,ah
;= 32e4
        ret
;= cb
ENDP
PROC    XmsAlloc FAR kb:WORD, handle:DWORD
        mov     ah,9
;= 558becb409
        mov     dx,[kb]
;= 8b560a
        call    [DWORD xmsctl]
;= ff1e0000
        les     bx,[handle]
;= c45e06
        mov     [es:bx],dx
;= 268917
        ret
;= c9ca0600
ENDP
PROC    XmsMove FAR
ARG     h:WORD, ofs:DWORD, buf:DWORD, count:DWORD
USES    ds,si
        mov     ax,[WORD LOW count]
;= 558bec1e568b4606
        mov     dx,[WORD HIGH count]
;= 8b5608
        mov     [WORD LOW move.len],ax
;= a30400
        mov     [WORD HIGH move.len],dx
;= 89160600
        mov     [move.srch],0
;= c70608000000
        mov     ax,[WORD PTR buf]
;= 8b460a
        mov     [WORD PTR move.srco],ax
;= a30a00
        mov     ax,[WORD PTR buf+2]
;= 8b460c
        mov     [WORD PTR move.srco+2],ax
;= a30c00
        mov     ax,[h]
;= 8b4612
        mov     [move.dsth],ax
;= a30e00
        les     ax,[ofs]
;= c4460e
        mov     [WORD PTR move.dsto],ax
;= a31000
        mov     [WORD PTR move.dsto+2],es
;= 8c061200
        mov     si,OFFSET move
;= be0400
        mov     ax,ds
;= 8cd8
        mov     es,ax
;= 8ec0
        mov     ah,0bh
;= b40b
        call    [es:xmsctl]
;= 26ff1e0000
        ret
;= 5e1fc9ca0e00
ENDP
        END
