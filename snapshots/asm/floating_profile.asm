; FLOPs are counted; the integer multiply is one, and waits until the division leaves the unit.
; expect line = FLOPS 4 warm, 4 cold; measured 4
; expect line = 2 fmul b - fmul pairs only with fxch
; expect line = 45 imul eax,ecx - waited 36: fdiv occupies the floating-point unit; imul takes 9 and never pairs
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
