; Values of records, in data and in operands.
        .model  small
attr    record  blink:1=0, back:3=1, bright:1, fore:3=7
date    record  year:7, month:4, day:5
wide    record  high1:20, low1:12
        .data
a       attr    <>
;= 17
b       attr    <1, 4, 1, 6>, <,2>, {1}
;= ce2797
c       date    <96-80, 10, 23>
;= 5721
d       attr    3 dup (<0,0,0,7>)
;= 070707
e       wide    <1, 2>
;= 02100000
f       attr    ?
;= 00
        attr    <0,0,0,1>
;= 01
        .code
start:  mov     al, attr <0,1,0,2>
;= b012
        and     al, mask back or mask fore
;= 2477
        and     al, not mask blink
;= 247f
        mov     cl, fore
;= b100
        mov     ah, b
;= 8a260100
        mov     bx, c
;= 8b1e0400
        shr     bx, month
;= c1eb05
;! shr | warning: the 8086 cannot shift by a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM shifts in several instructions
        mov     dl, width month
;= b204
        attr    <1,8>
;! < | 8 does not fit in the 3 bits of field `back`
        end     start
