; By Intel's count a comparison, its status and a jump by it take nine clocks.
; with assume = status_wait=3
; expect line = 5 fnstsw ax - waited 3: the status of fcomp is not ready; fnstsw takes 2 and never pairs
; expect line = 9 ja above - ja pairs only in V
.586
.model flat
.data
align 8
a dq 1.5
b dq 2.0
.code
start:
    StartTSC compared
    fld a
    fcomp b
    fnstsw ax
    sahf
    ja above
above:
    EndTSC
    ret
end start
