        .MODEL  small, c, os_dos
        .DOSSEG
        .STACK  1024
        .386
        OPTION  PROC:PRIVATE
        OPTION  CASEMAP:NONE

PutStr  PROTO   pstr:PTR BYTE
PutNum  PROTO   num:DWORD, radix:WORD
LongMul PROTO   a:SDWORD, b:SDWORD

TRUE    TEXTEQU <1>
CR      EQU     13
LF      EQU     10

        .DATA
hello   BYTE    "The product is ", 0
;= 5468652070726f647563742069732000
crlf    BYTE    CR, LF, 0
;= 0d0a00
digits  BYTE    "0123456789ABCDEF"
;= 30313233343536373839414243444546
value   SDWORD  -12345
;= c7cfffff
buffer  BYTE    12 DUP (?)
;= 000000000000000000000000

        .CODE
        .STARTUP
;= ba1d108eda8cd32bdac1e304fa8ed203e3fb
        INVOKE  PutStr, ADDR hello
;= 8d06000050e82b0083c402
        mov     eax, value
;= 66a12300
        INVOKE  LongMul, eax, 3
;= 6a006a036650e88b0083c408
        INVOKE  PutNum, dx::ax, 10
;= 6a0a5250e82d0083c406
        INVOKE  PutStr, OFFSET crlf
;= 681000e8080083c402
        .EXIT   0
;= b8004ccd21

PutStr  PROC    USES ax dx si, pstr:PTR BYTE
        mov     si, pstr
;= 558bec5052568b7604
        .WHILE  BYTE PTR [si] != 0
;= eb07
            mov     dl, [si]
;= 8a14
            mov     ah, 2
;= b402
            int     21h
;= cd21
            inc     si
;= 46
        .ENDW
;= 803c0075f4
        ret
;= 5e5a58c9c3
PutStr  ENDP

PutNum  PROC    USES bx cx di, num:DWORD, radix:WORD
        LOCAL   negative:BYTE
        mov     negative, 0
;= 558bec83ec02535157c646ff00
        mov     eax, num
;= 668b4604
        .IF     sdword ptr eax < 0
;= 6683f8007d07
            neg     eax
;= 66f7d8
            mov     negative, 1
;= c646ff01
        .ENDIF
        movzx   ecx, radix
;= 660fb74e08
        lea     di, buffer+11
;= 8d3e3200
        mov     BYTE PTR [di], 0
;= c60500
        .REPEAT
            xor     edx, edx
;= 6633d2
            div     ecx
;= 66f7f1
            mov     bx, dx
;= 8bda
            mov     dl, digits[bx]
;= 8a971300
            dec     di
;= 4f
            mov     [di], dl
;= 8815
        .UNTIL  eax == 0
;= 660bc075ec
        .IF     negative == TRUE
;= 807eff017504
            dec     di
;= 4f
            mov     BYTE PTR [di], '-'
;= c6052d
        .ENDIF
        INVOKE  PutStr, di
;= 57e898ff83c402
        ret
;= 5f595bc9c3
PutNum  ENDP

LongMul PROC    a:SDWORD, b:SDWORD
        mov     eax, a
;= 558bec668b4604
        imul    b
;= 66f76e08
        mov     edx, eax
;= 668bd0
        shr     edx, 16
;= 66c1ea10
        ret
;= c9c3
LongMul ENDP
        END
