; A changed structure is told by its first changed field: of an inner structure, of a union, in an array, of reals.
; expect line =   one.x = -2 (FFFFFFFEh), was 1
; expect line =   many: 2 elements of 3 changed; many[1].y = 7, was 2
; expect line =   inner.corner.y = -7 (FFFFFFF9h), was 4
; expect line =   element.table[3] = 200 (C8h), was 0
; expect line =   shared.whole = 300 (12Ch), was 0
; expect line =   real.factor = 1.0, was 0.5
; expect line =   both.corner.x = 0, was 3; other fields changed, too
        .586
        .model flat
POINT   struct
x       sdword 1
y       sdword 2
POINT   ends
BOX     struct
corner  POINT <3,4>
table   db 5 dup(0)
        union
whole   dd 0
part    dw ?
        ends
factor  real8 0.5
BOX     ends
        .data
one     POINT <>
many    POINT 3 dup(<>)
inner   BOX <>
element BOX <>
shared  BOX <>
real    BOX <>
both    BOX <>
same    BOX <>
        .code
start:  sub one.x,3
        add many[8].y,5
        add many[16].x,1
        add many[16].y,1
        mov inner.corner.y,-7
        mov element.table[3],200
        mov shared.part,300
        fld1
        fstp real.factor
        mov both.corner.x,0
        inc both.whole
        ret
        end start
