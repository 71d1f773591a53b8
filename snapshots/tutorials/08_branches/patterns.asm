; The same branch with three patterns in EBX: bit 0 decides, and the bits rotate.
        mov ebx,0FFFFFFFFh
        mov ecx,96
        StartTSC always
next1:  inc edx
        test bl,1
        jnz taken1
        inc eax
taken1: rol ebx,1
        dec ecx
        jnz next1
        EndTSC

        mov ebx,0
        mov ecx,96
        StartTSC never
next2:  inc edx
        test bl,1
        jnz taken2
        inc eax
taken2: rol ebx,1
        dec ecx
        jnz next2
        EndTSC

        mov ebx,55555555h
        mov ecx,96
        StartTSC alternating
next3:  inc edx
        test bl,1
        jnz taken3
        inc eax
taken3: rol ebx,1
        dec ecx
        jnz next3
        EndTSC
