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
