; The first time the processor meets some code it does not know where the instructions end.
        StartTSC long_ones
        add eax,1
        add ebx,1
        add ecx,1
        add edx,1
        EndTSC

; An instruction of one byte needs no such knowledge.
        StartTSC short_ones
        inc eax
        inc ebx
        inc ecx
        inc edx
        EndTSC

; Code that fills more than a line of 32 bytes must be waited for as well.
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
