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
