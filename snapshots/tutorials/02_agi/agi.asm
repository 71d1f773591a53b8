; A register used in an address must be ready one clock earlier than one that is only an operand.
        .data
        align 32
table   dd 1,2,3,4,5,6,7,8
        .code
        mov esi,offset table
        mov edi,[esi]

        StartTSC next_clock
        add esi,4
        mov eax,[esi]
        EndTSC

        StartTSC next_pair
        add esi,4
        inc ecx
        mov eax,[esi]
        EndTSC

        StartTSC in_v
        inc ecx
        add esi,4
        inc edx
        mov eax,[esi]
        EndTSC

        StartTSC moved_apart
        add esi,4
        inc ecx
        inc edx
        inc ebx
        mov eax,[esi]
        EndTSC

        StartTSC lea_waits
        add esi,4
        lea eax,[esi+ebx]
        EndTSC
        ret
