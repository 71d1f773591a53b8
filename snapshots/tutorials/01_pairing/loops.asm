; A branch pairs only as the second of a pair, in the V pipe.
        mov ecx,100
        StartTSC four_in_the_loop
four:   inc eax
        inc ebx
        dec ecx
        jnz four
        EndTSC

        mov ecx,100
        StartTSC three_in_the_loop
three:  inc eax
        dec ecx
        jnz three
        EndTSC
