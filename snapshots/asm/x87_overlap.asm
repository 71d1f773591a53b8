; What goes on beside the floating-point unit, and what waits for it. The counts follow from the timing table.
; expect stop = return
; expect line = 41 fstp r - waited 39: st(0) of fdiv is not ready; fstp takes 2 and never pairs
; expect line = No order takes less than 43 clocks (a chain of results).
; expect line = 41 fstp r - fstp takes 2 and never pairs
; expect line = No order takes less than 43 clocks (fld, fdiv and others pair with fxch at most).
; expect line = 2 fdiv b fxch st(1) unit busy for 39 clocks, 1 of them hidden by other work
; expect line = 39 fadd a - waited 36: fdiv occupies the floating-point unit; fadd pairs only with fxch
; expect line = 46 fstp r - waited 3: st(0) of faddp is not ready; fstp takes 2 and never pairs
; expect line = 38 imul eax,ecx - waited 36: fdiv occupies the floating-point unit; imul takes 9 and never pairs
; expect line = 47 fstp r - fstp takes 2 and never pairs
; expect line = 10 fchs - waited 2: the operands of fadd may raise an exception; fchs pairs only with fxch
; expect line = 5 fadd st(1),st(0) fxch st(1) +3: the operands may raise an exception
; expect line = 10 not ebx - waited 1: fxch right before an integer instruction takes a clock; `not` never pairs
; expect line = 6 fnstsw ax - waited 4: the status of fcomp is not ready; fnstsw takes 2 and never pairs
; expect line = 6 fnstsw ax - fnstsw takes 2 and never pairs
; expect line = 3 not ebx - waited 1: fxch right before an integer instruction takes a clock; `not` never pairs
; expect line = 4 fmul b - waited 1: fmul occupies the multiplier; fmul pairs only with fxch
; expect line = 2 fld tbyte ptr a - fld takes 3 and never pairs
; expect line = 5 fld tbyte ptr a+4 - +3: misaligned access of a+4; fld takes 3 and never pairs
.586
.model flat
.data
align 8
a    dq 1.5
b    dq 2.0
r    dq 0
far_ dt 1.0e3000
four dd 3,0
.code
start:
    ; A division takes 39 clocks, 38 of which integer instructions fill; the store needs the quotient a clock earlier.
    StartTSC alone
    fld a
    fdiv b
    fstp r
    EndTSC
    StartTSC filled
    fld a
    fdiv b
    rept 39
    not ebx
    endm
    fstp r
    EndTSC
    ; The next operation of the unit overlaps with the last two clocks: it issues 37 after the division.
    StartTSC addition
    fld b
    fld a
    fdiv b
    fxch st(1)
    fadd a
    faddp st(1),st(0)
    fstp r
    EndTSC
    ; An integer multiply uses the unit too.
    StartTSC multiplied
    fld a
    fdiv b
    imul eax,ecx
    fstp r
    EndTSC
    ; Operands that do not exclude an overflow stall the unit for four clocks, but not the integer pipes.
    StartTSC extreme
    fld far_
    fld1
    fadd st(1),st(0)
    not ebx
    not ebx
    fchs
    fstp st(0)
    fstp st(0)
    EndTSC
    ; Behind FXCH they stall these as well.
    StartTSC extreme_exchange
    fld far_
    fld1
    fadd st(1),st(0)
    fxch st(1)
    not ebx
    fstp st(0)
    fstp st(0)
    EndTSC
    ; The status comes four clocks after the comparison.
    StartTSC status
    fld a
    fcomp b
    fnstsw ax
    sahf
    EndTSC
    StartTSC status_filled
    fld a
    fcomp b
    not ebx
    not ebx
    not ebx
    not ebx
    fnstsw ax
    sahf
    EndTSC
    ; FXCH is free between instructions of the unit, and takes a clock before others.
    StartTSC exchange
    fld a
    fld b
    fxch st(1)
    not ebx
    fstp st(0)
    fstp st(0)
    EndTSC
    ; Multiplications begin every other clock.
    StartTSC products
    fld a
    fld b
    fmul st(1),st(0)
    fmul b
    fstp st(0)
    fstp st(0)
    EndTSC
    ; 64 bits across a boundary of eight bytes take three clocks more; so do the first eight bytes of 80 bits.
    StartTSC aligned
    fld qword ptr a
    fstp st(0)
    fld tbyte ptr a
    fstp st(0)
    EndTSC
    StartTSC misaligned
    fld qword ptr a+4
    fstp st(0)
    fld tbyte ptr a+4
    fstp st(0)
    EndTSC
    ret
end start
