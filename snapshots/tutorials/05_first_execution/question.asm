; A loop that is executed once, cold.
        mov ecx,10
        StartTSC once
next:   add eax,1
        add ebx,1
        add ecx,-1
        jnz next
        EndTSC
