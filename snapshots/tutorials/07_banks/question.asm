; Two misaligned reads in one pair.
        .data
        align 32
line    dd 1,2,3,4,5,6,7,8
        .code
        mov esi,offset line
        mov edi,offset line+9
        mov eax,[esi]

        StartTSC both
        mov eax,[esi+2]
        mov ebx,[edi]
        EndTSC
        ret
