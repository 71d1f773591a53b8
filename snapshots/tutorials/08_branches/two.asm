; The shortest loop is the slowest to predict.
        mov ecx,100
        StartTSC one_pair
one:    dec ecx
        jnz one
        EndTSC

        mov ecx,100
        StartTSC two_pairs
two:    inc eax
        inc ebx
        dec ecx
        jnz two
        EndTSC
