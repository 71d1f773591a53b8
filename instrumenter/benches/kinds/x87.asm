; A loop of x87 instructions: a rotation of a point, four multiplications and two additions.
        .586
        .model flat
        .data
sine    dd      0.0009999998
cosine  dd      0.9999995
x       dd      1.0
y       dd      0.0
        .code
start:  mov     ecx,1000000
        fld     y
        fld     x
again:  fld     st
        fmul    cosine
        fld     st(2)
        fmul    sine
        fxch    st(2)
        fmul    sine
        fxch    st(3)
        fmul    cosine
        fxch    st(2)
        fsubp   st(1),st
        fxch    st(2)
        faddp   st(1),st
        fxch
        dec     ecx
        jnz     again
        fstp    x
        fstp    y
        ret
        end     start
