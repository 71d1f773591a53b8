; Where do the clocks of this loop go? Find two events that show it.
        .data
        align 4096
matrix  dd 4096 dup (1)
        .code
        mov edi,2
again:  mov esi,offset matrix
        mov ecx,64
        xor eax,eax

        StartProfile EV_DATA_READ, EV_INSTRUCTIONS_EXECUTED, column
next:   add eax,[esi]
        add esi,256
        dec ecx
        jnz next
        EndProfile

        dec edi
        jnz again
        ret
