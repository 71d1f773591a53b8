; A division takes less time under less precision, in the run and in its bound.
; Source: Agner Fog, Instruction tables 2021, Pentium: 39, 33 and 19 clocks.
; The bound of a region is that of the least precision with which the run has divided.
; expect line = 35 fstp r - waited 33: st(0) of fdiv is not ready; fstp takes 2 and never pairs
; expect line = 21 fstp r - waited 19: st(0) of fdiv is not ready; fstp takes 2 and never pairs
; expect line = No order takes less than 23 clocks (a chain of results).
.586
.model flat
.data
align 8
a       dq 1.5
b       dq 3.0
r       dq 0
double  dw 027Fh
single  dw 007Fh
.code
start:
    fldcw double
    StartTSC in53
    fld a
    fdiv b
    fstp r
    EndTSC
    fldcw single
    StartTSC in24
    fld a
    fdiv b
    fstp r
    EndTSC
    ret
end start
