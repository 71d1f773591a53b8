; Real numbers in the format of Microsoft's older languages.
        .msfloat
data    segment
        dd      1.0
;= 00000081
        dd      -1.0
;= 00008081
        dd      0.5
;= 00000080
        dd      10.0
;= 00002084
        dd      0.0
;= 00000000
        dd      3.14159265
;= db0f4982
        dd      -0.1
;= cdcccc7d
        dd      16777217.0
;= 00000099
        dd      33554431.0
;= 0000009a
        dq      1.0
;= 0000000000000081
        dq      -2.5
;= 000000000000a082
        dq      3.14159265358979
;= 886821a2da0f4982
        dt      1.0
;= 0000000000000080ff3f
        dd      3F800000r
;= 0000803f
        dd      1.0e39
;! 1.0e39 | real number out of range for Microsoft's format
        dd      1.0e-45
;! 1.0e-45 | real number out of range for Microsoft's format
data    ends
        end
;---
; In a structure, whatever stands before it.
        .msfloat
pair    struc
small   dd      0.0
large   dq      0.0
pair    ends
data    segment
        pair    <1.5, -2.5>
;= 00004081000000000000a082
        db      0
;= 00
        pair    <1.5, -2.5>
;= 00004081000000000000a082
        dt      1.0
;= 0000000000000080ff3f
        pair    <1.5>
;= 000040810000000000000000
        dd      0
;= 00000000
        pair    <3FC00000r>
;= 0000c03f0000000000000000
data    ends
        end
