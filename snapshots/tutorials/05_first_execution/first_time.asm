; The first time the processor executes code, it does not know where the instructions end.
        StartTSC long_ones
        add eax,1
        add ebx,1
        add ecx,1
        add edx,1
        EndTSC

; The end of an instruction of one byte is known.
        StartTSC short_ones
        inc eax
        inc ebx
        inc ecx
        inc edx
        EndTSC

; Code of more than one line of 32 bytes also has to be fetched.
        StartTSC many_bytes
        add ebx,12345678h
        add ecx,12345678h
        add edx,12345678h
        add esi,12345678h
        add edi,12345678h
        add ebp,12345678h
        add ebx,23456789h
        add ecx,23456789h
        add edx,23456789h
        add esi,23456789h
        add edi,23456789h
        add ebp,23456789h
        EndTSC
