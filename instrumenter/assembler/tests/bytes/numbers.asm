; Ten bytes: packed decimal digits, hexadecimal ones, real numbers.
        .386
        .model  flat
        .data
        dt      1234567890
;= 90785634120000000000
        dt      -98
;= 98000000000000000080
        dt      800000000000001234h
;= 34120000000000008000
        dt      0FFh
;= ff000000000000000000
        dt      1.0
;= 0000000000000080ff3f
        dt      2 dup (5)
;= 0500000000000000000005000000000000000000
        dt      ?
;= 00000000000000000000
        dq      1234567890
;= d202964900000000
        .code
start:  ret
;= c3
        end     start
;---
; Where the suffixes are digits of the radix, too, they stay suffixes.
        .radix  16
        dw      900d, 0CD, 41BD, 12h
;= 8403cd00bd411200
;! 900d | warning: `900d` is 900, as for MASM 5 and TASM; for MASM 6 its last letter is a digit
;!   = write `900t`, or `900dh` for the number in hexadecimal digits
        db      1b, 10b, 0D, 2D, 21, 0FE
;= 0102000221fe
        db      00011100b
;= 1c
        .radix  12
        db      1b, 1a
;= 0116
        end
