; The same two instructions in both orders.
        .data
        align 32
a       dd 1
b       dd 2
        .code
        mov edx,offset a
        mov edi,offset b
        mov eax,[edx]

        StartTSC longer_in_u
        add [edx],eax
        add ebx,[edi]
        EndTSC

        StartTSC longer_in_v
        add ebx,[edi]
        add [edx],eax
        EndTSC
        ret
