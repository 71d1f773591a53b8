; with cpu = p55c
; The result of an MMX multiply is there two clocks later, and what is stored has to be there a clock before.
; expect line = No order takes less than 7 clocks (a chain of results).
; expect line = No order takes less than 6 clocks (a chain of results).
; expect line = No order takes less than 3 clocks (one MMX shifter).
        .code
start:  StartTSC multiplies
        pmullw mm0,mm1
        pmullw mm0,mm1
        pmullw mm0,mm1
        EndTSC
        StartTSC moves
        movq mm2,mm1
        pmullw mm2,mm1
        movd eax,mm2
        EndTSC
        StartTSC shifts
        psllw mm3,1
        psrlw mm4,1
        psllw mm5,1
        EndTSC
        emms
        ret
        end start
