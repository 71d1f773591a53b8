; The exercise with the two events that show the cause.
        .data
        align 4096
matrix  dd 4096 dup (1)
        .code
        mov edi,2
again:  mov esi,offset matrix
        mov ecx,64
        xor eax,eax

        StartProfile EV_DATA_READ_MISS, EV_DATA_READ_STALL+COUNT_CYCLES, column
next:   add eax,[esi]
        add esi,256
        dec ecx
        jnz next
        EndProfile

        dec edi
        jnz again
        ret
