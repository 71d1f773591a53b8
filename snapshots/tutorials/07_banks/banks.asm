; The data cache serves two accesses per clock unless both are to the same of its eight banks.
        .data
        align 32
line0   dd 1,2,3,4,5,6,7,8
line1   dd 1,2,3,4,5,6,7,8
        .code
        mov esi,offset line0
        mov edi,offset line1

        StartTSC two_banks
        mov eax,[esi]
        mov ebx,[edi+4]
        EndTSC

        StartTSC one_bank
        mov eax,[esi]
        mov ebx,[edi]
        EndTSC

        StartTSC one_dword
        mov al,[esi]
        mov bl,[esi+1]
        EndTSC
        ret
