; More rounds than are traced: the heading says how many there are.
; expect line = Only the first 4095 instructions of the pass were traced:
; expect line = l: 1365 of 3000 rounds traced, 13650 clocks in all: 10 each.
        .code
start:  mov ecx,3000
        StartTSC long
l:      imul eax,ebx,3
        dec ecx
        jnz l
        EndTSC
        ret
        end start
