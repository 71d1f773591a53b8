; Turbo Pascal units, with MODEL TPASCAL and IDEAL
        IDEAL
        MODEL   TPASCAL
        P286N
        LOCALS
        DATASEG
        EXTRN   VioSeg:WORD, ScrPtr:DWORD, SinTab:WORD:256
Cnt     DW      ?
;= 0000
        CODESEG
        PUBLIC  Flip, MoveFast, GetMax, PaintRow
        EXTRN   Halt:FAR
PROC    Flip FAR Src:DWORD, Dst:DWORD, Size:WORD
        push    ds
;= 558bec1e
        lds     si,[Src]
;= c5760c
        les     di,[Dst]
;= c47e08
        mov     cx,[Size]
;= 8b4e06
        cld
;= fc
        shr     cx,1
;= d1e9
        rep     movsw
;= f3a5
        adc     cx,cx
;= 13c9
        rep     movsb
;= f3a4
        pop     ds
;= 1f
        ret
;= c9ca0a00
ENDP    Flip
PROC    MoveFast FAR
        ARG     Src:DWORD, Dst:DWORD, Size:WORD
        USES    DS
        lds     si,[Src]
;= 558bec1ec5760c
        mov     ax,[WORD PTR Dst+2]
;= 8b460a
        mov     es,ax
;= 8ec0
        mov     di,[WORD LOW Dst]
;= 8b7e08
        ret
;= 1fc9ca0a00
ENDP
PROC    GetMax FAR a:WORD, b:WORD RETURNS m:WORD
        mov     ax,[a]
;= 558bec8b4608
        cmp     ax,[b]
;= 3b4606
        jge     @@x
;= 7d03
        mov     ax,[b]
;= 8b4606
@@x:    ret
;= c9ca0400
ENDP    GetMax
PROC    PaintRow NEAR Y:WORD, Color:BYTE
        LOCAL   Ofs:WORD, Tmp:BYTE:16 = LSize
        mov     ax,[VioSeg]
;= 558bec83ec12a10000
        mov     es,ax
;= 8ec0
        les     di,[ScrPtr]
;= c43e0000
        mov     bx,[Y]
;= 8b5e06
        add     bx,bx
;= 03db
        mov     ax,[SinTab+bx]
;= 8b870000
        mov     [Ofs],ax
;= 8946fe
        mov     al,[Color]
;= 8a4604
        mov     [Tmp+3],al
;= 8846f1
        inc     [Cnt]
;= ff060000
        cmp     [Cnt],100
;= 833e000064
        jb      @@1
;= 7205
        call    Halt
;= 9a00000000
@@1:    call    Flip,[ScrPtr],es di,LSize
;= ff360200ff36000006576a120ee87eff
        call    GetMax PASCAL,ax,[Cnt]
;= 50ff3600000ee8a4ff
        ret
;= c9c20400
ENDP    PaintRow
        END
