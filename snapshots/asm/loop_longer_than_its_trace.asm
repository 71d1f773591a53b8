; More rounds than are traced: the heading says how many there are.
; expect line = Only the first 4095 instructions of the pass were traced:
; expect line = l: 1365 rounds traced of 3000 in the run, from clock 0, 13650 clocks; 10 each.
        .code
start:  mov ecx,3000
        StartTSC long
l:      imul eax,ebx,3
        dec ecx
        jnz l
        EndTSC
        ret
        end start
