; An access that crosses a boundary of four bytes becomes two accesses and takes three more clocks.
        .data
        align 32
line    dd 1,2,3,4,5,6,7,8
        .code
        mov esi,offset line
        mov eax,[esi]

        StartTSC aligned
        mov eax,[esi+4]
        EndTSC

        StartTSC crossing
        mov eax,[esi+6]
        EndTSC

        StartTSC one_byte
        mov al,[esi+7]
        EndTSC
        ret
