; MMX on the P55C: two multiplies or two shifts do not pair, and a memory operand goes to U and pairs only with MMX.
; with cpu = p55c
; expect line = units, lines 22-32: 6 clocks warm, 21 cold; measured 6
; expect line = 0 pmullw mm0,mm1 - next pmulhw needs the same unit
; expect line = 1 pmulhw mm2,mm3 psllw mm4,1
; expect line = 2 psrld mm5,1 paddb mm6,mm7
; expect line = 3 movq mm1,factors por mm6,mm7
; expect line = 4 movq mm1,factors - movq here pairs only with mmx
; expect result = 1688871335362563
        .586
        .mmx
        .model  flat
        .data
        align   8
factors dq      0004000300020001h
result  dq      0
other   dd      0
        .code
start:
        movq    mm3,factors
        mov     eax,other
        StartTSC units
        pmullw  mm0,mm1
        pmulhw  mm2,mm3
        psllw   mm4,1
        psrld   mm5,1
        paddb   mm6,mm7
        movq    mm1,factors
        por     mm6,mm7
        movq    mm1,factors
        mov     other,eax
        EndTSC
        pcmpeqw mm0,mm0
        psrlw   mm0,15
        paddw   mm0,mm0
        paddw   mm0,factors
        movq    result,mm0
        emms
        ret
        end     start
