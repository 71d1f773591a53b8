; Results of MMX instructions are shown by their own names, with EMMS or without; what the floating-point unit put there
; since is not one of them, though its bits may look like one: 0/0 has the same exponent.
; with cpu = p55c
; expect line = st(0) quiet NaN mm1 FFFF000000000001h mm2 FFFF000000000002h fpu status 3801h invalid
        .586
        .mmx
        .model  flat
        .data
        align   8
words   dq      0FFFF000000000001h
one     dq      1
        .code
start:
        movq    mm1,words
        movq    mm7,mm1
        movq    mm2,words
        paddd   mm2,one
        psubb   mm3,mm3
        emms
        fldz
        fdiv    st,st
        ret
        end     start
