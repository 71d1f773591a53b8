; Two instructions that read memory and take two clocks each.
        .data
        align 32
a       dd 1
b       dd 2
        .code
        mov edx,offset a
        mov edi,offset b
        mov eax,[edx]

        StartTSC two_reads
        add eax,[edx]
        add ebx,[edi]
        EndTSC
        ret
