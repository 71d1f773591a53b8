; More rounds than are traced: the heading says how many there are.
; expect line = Only the first 4095 instructions of the pass were traced:
; expect line = l: 1023 rounds traced of 3000 in the run, from clock 0, 11253 clocks; 11 each.
        .code
start:  mov ecx,3000
        StartTSC long
l:      imul eax,ebx,3
        nop
        dec ecx
        jnz l
        EndTSC
        ret
        end start
