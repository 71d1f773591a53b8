; The MMX registers are those of the floating-point unit: the first MMX instruction waits until the unit has done its
; work and until the registers are switched, whichever ends later. Other work in between hides that much.
; with cpu = p55c
; expect line = 72 movq to,mm7 - waited 70: fsqrt occupies the floating-point unit; next emms never pairs
; expect line = 41 movq to,mm7 - waited 39: fdiv occupies the floating-point unit; next emms never pairs
; expect line = 40 movq to,mm7 - waited 38: registers are switched between floating point and mmx; next emms never pairs
; expect line = 72 movq to,mm7 - waited 35: fsqrt occupies the floating-point unit; next emms never pairs
; expect line = 39 movd mm1,eax - waited 5: registers are switched between floating point and mmx; next emms never pairs
; expect event FLOATING_POINT_STALL = 4
        .586
        .mmx
        .model  flat
        .data
        align   8
to      dq      0
value   dd      2.0
        .code
start:
        fninit
        StartTSC root
        fld     value
        fsqrt
        movq    to,mm7
        emms
        EndTSC
        StartTSC quotient
        fld     value
        fdiv    value
        movq    to,mm7
        emms
        EndTSC
        StartTSC sum
        fld     value
        fadd    value
        movq    to,mm7
        emms
        EndTSC
        StartTSC hidden
        fld     value
        fsqrt
        mov     ecx,34
again:  dec     ecx
        jnz     again
        movq    to,mm7
        emms
        EndTSC
        StartTSC switch
        fld     value
        mov     ecx,32
others: dec     ecx
        jnz     others
        movd    mm1,eax
        emms
        EndTSC
        ret
        end     start
