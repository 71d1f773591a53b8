; Which adjacent instructions share a clock? Three regions, each between StartTSC and EndTSC.

        StartTSC four_moves
        mov eax,1
        mov edx,2
        mov ecx,3
        mov ebx,4
        EndTSC

        StartTSC dependent
        add eax,ecx
        add eax,ecx
        EndTSC

        StartTSC independent
        add eax,ecx
        add ebx,ecx
        EndTSC
