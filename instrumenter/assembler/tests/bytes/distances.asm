; Distances that decide something before the layout is known.
code    segment
        assume  cs:code, ds:code
start:  jmp     over
;= eb6a
        jz      far_away
;= 7503e9a200
        db      100 dup (1)
;= 100 bytes, 1581be15
        if      ($-start) gt 100
        db      2
;= 02
        endif
over:   nop
;= 90
        db      60 dup (3)
;= 030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303
far_away:
        ret
;= c3
        db      510-($-start) dup (0)
;= 340 bytes, 09f9d665
        dw      0AA55h
;= 55aa
code    ends
        end     start
;---
; A branch that grows after its length decided a repeat: another pass over the source knows.
code    segment
        assume  cs:code, ds:code
start:  jmp     over
;= e9c800
        db      200 dup (1)
;= 200 bytes, 06954065
over:   ret
;= c3
        db      (256-($-start)) dup (0)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
code    ends
        end     start
