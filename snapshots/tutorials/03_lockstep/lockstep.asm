; The two instructions of a pair leave the pipes together: the shorter one waits for the longer one.
        .data
        align 32
a       dd 1
b       dd 2
        .code
        mov edx,offset a
        mov edi,offset b
        mov eax,[edx]

        StartTSC modify_and_dec
        add [edx],eax
        dec ecx
        EndTSC

        StartTSC split_and_dec
        mov ebx,[edx]
        add ebx,eax
        mov [edx],ebx
        dec ecx
        EndTSC

        StartTSC two_modify
        add [edx],eax
        add [edi],ecx
        EndTSC

        StartTSC two_split
        mov ebx,[edx]
        mov esi,[edi]
        add ebx,eax
        add esi,ecx
        mov [edx],ebx
        mov [edi],esi
        EndTSC
        ret
