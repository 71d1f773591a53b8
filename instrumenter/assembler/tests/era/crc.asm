        TITLE   CRC -- table driven CRC-32 with macros that make the table
        .XLIST
        .SFCOND
        IF1
        %OUT    pass 1
        ENDIF
        IFDEF   @Version
        IF      @Version LT 510
        .ERR
        ENDIF
        ENDIF
        .LIST
        .286
        .MODEL  SMALL
        .387
POLYLO  EQU     8320h
POLYHI  EQU     0EDB8h
        .386
        .CODE
step    MACRO
        IF      crcval AND 1
crcval  =       ((crcval SHR 1) AND 7FFFFFFFh) XOR 0EDB88320h
        ELSE
crcval  =       (crcval SHR 1) AND 7FFFFFFFh
        ENDIF
        ENDM
entry_  MACRO   n
crcval  =       n
        REPT    8
        step
        ENDM
        DD      crcval
        ENDM
index   =       0
table   LABEL   DWORD
        REPT    16
        entry_  %index
index   =       index + 1
        ENDM
;= 00000000963007772c610eeeba51099919c46d078ff46a7035a563e9a395649e3288db0ea4b8dc791ee9d5e088d9d2972b4cb609bd7cb17e072db8e7911dbf90
        IRPC    c,0123
sym&c   DB      '&c', "c&"
        ENDM
;= 3030313132323333
        IRP     op,<add,sub,xor>
        op      ax,bx
        ENDM
;= 03c32bc333c3
        IFE     ($-table) MOD 4
        ELSE
        ALIGN   4
;= 9090
        ENDIF
CRC     PROC    NEAR C USES SI, buf:PTR BYTE, len:WORD
        mov     si,buf
;= 558bec568b7604
        mov     cx,len
;= 8b4e06
        mov     edx,-1
;= 66baffffffff
        jcxz    quit
;= e319
again:  xor     bx,bx
;= 33db
        mov     bl,[si]
;= 8a1c
        xor     bl,dl
;= 32da
        and     bx,0Fh
;= 83e30f
        shl     bx,2
;= c1e302
        shr     edx,4
;= 66c1ea04
        xor     edx,cs:table[bx]
;= 662e33970000
        inc     si
;= 46
        loop    again
;= e2e7
quit:   not     edx
;= 66f7d2
        mov     eax,edx
;= 668bc2
        shr     edx,16
;= 66c1ea10
        ret
;= 5ec9c3
CRC     ENDP
        .ERRNZ  index - 16
        .ERRE   index EQ 16
        .ERRB   <x>
        PURGE   step, entry_
        END
