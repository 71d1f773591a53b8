; The result of an MMX multiply is there two clocks later than that of an addition, and the switch to the floating-point
; unit and back takes what was measured.
; with cpu = p55c
; expect line = 3 paddw mm0,mm1 - waited 2: mm0 of pmullw is not ready; next movq pairs only in U
; expect line = 5 movq words,mm0 - waited 1: mm0 of paddw is not ready; movq here pairs only with mmx
; expect line = 3 paddw mm5,mm6 paddw mm2,mm1 waited 2: mm2 of pmullw is not ready
; expect line = 59 fld1 - waited 58: registers are switched between floating point and mmx; fld1 takes 2 and never pairs
        .586
        .mmx
        .model  flat
        .data
        align   8
words   dq      0004000300020001h
        .code
start:
        movq    mm1,words
        StartTSC product
        pmullw  mm0,mm1
        paddw   mm0,mm1
        movq    words,mm0
        mov     ah,0
        lahf
        EndTSC
        StartTSC behind
        pmullw  mm2,mm1
        paddw   mm3,mm4
        paddw   mm5,mm6
        paddw   mm2,mm1
        EndTSC
        StartTSC switch
        emms
        fld1
        EndTSC
        ret
        end     start
