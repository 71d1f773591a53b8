; Two chains of multiplications on the floating-point stack, one after the other.
        .data
a       dd 1.5
b       dd 0.5
x       dd 0
y       dd 0
        .code
start:  mov ecx,20
        fninit
again:  fld a
        fld b
        fmul a
        fmul a
        fxch st(1)
        fmul b
        fmul b
        fstp x
        fstp y
        dec ecx
        jnz again
        ret
        end start
