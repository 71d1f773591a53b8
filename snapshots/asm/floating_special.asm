; The event of floating-point operations leaves out divisions by zero, roots of negative numbers, operands that are
; infinite or not a number, and empty registers. Loads, stores, comparisons and changes of sign are no operations.
; expect line = FLOPS 4 warm, 4 cold; measured 4
; expect line = FLOPS 0 warm, 0 cold; measured 0
; expect stop = return
.586
.model flat
.data
one  dq 1.0
zero dq 0.0
r    dq 0
.code
start:
    StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,counted
    fld one
    fadd zero
    fmul one
    fsqrt
    fdiv one
    fcom one
    fchs
    fst r
    EndProfile
    StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,left_out
    fsqrt
    fadd one
    fstp st(0)
    fadd one
    fstp st(0)
    fld one
    fdiv zero
    fsub one
    fstp st(0)
    EndProfile
    ret
end start
