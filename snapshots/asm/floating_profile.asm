; FLOPs are counted. No bound is given where floating-point instructions are executed: their overlap is not simulated.
; expect line = FLOPS 4 warm, 4 cold; measured 4
; expect line = 2 fmul b - fmul takes 3 and never pairs
.586
.model flat
.data
a dq 1.5
b dq 2.0
r dq 0
.code
start:
    StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,arithmetic
    nop
    fld a
    fmul b
    fadd a
    fdiv b
    imul eax,ecx
    fstp r
    EndProfile
    ret
end start
