; Some instructions pair in one pipe only, some in neither.

        StartTSC adc_second
        mov eax,1
        adc edx,0
        EndTSC

        StartTSC adc_first
        adc edx,0
        mov eax,1
        EndTSC

        StartTSC neg_second
        mov eax,1
        neg edx
        EndTSC

; The same without NEG: invert every bit, then add one.
        StartTSC neg_rewritten
        mov eax,1
        xor edx,-1
        inc edx
        mov ebx,2
        EndTSC
