; MASM 6 pads code with as few instructions as possible.
        .386
        .model  flat
        .code
start:  nop
;= 90
        align   2
;= 90
        nop
;= 90
        align   4
;= 90
        nop
;= 90
        nop
;= 90
        align   4
;= 8bff
        nop
;= 90
        align   8
;= 8da42400000000
        nop
;= 90
        nop
;= 90
        align   8
;= 8d8000000000
        nop
;= 90
        nop
;= 90
        nop
;= 90
        align   8
;= 2e8d442000
        nop
;= 90
        align   16
;= 8da424000000008da4240000000090
        jmp     over
;= eb06
        db      5
;= 05
        align   8
;= 2e8d442000
over:   ret
;= c3
        end     start
;---
        .model  small
        .code
start:  nop
;= 90
        even
;= 90
        nop
;= 90
        nop
;= 90
        align   4
        nop
;= 90
        align   4
;= 2e8bc0
        ret
;= c3
        end     start
;---
; TASM has one instruction for each byte.
        .386
        .model  flat
        locals
        .code
start:  nop
;= 90
        align   4
;= 909090
        nop
;= 90
        evendata
;= 00
        ret
;= c3
        end     start
