; The exercise with the two events that show the cause.
IFNDEF ROW
ROW     equ 256
ENDIF
        .data
        align 4096
matrix  dd 64*ROW/4 dup (1)
        .code
        mov edi,2
again:  mov esi,offset matrix
        mov ecx,64
        xor eax,eax

        StartProfile EV_DATA_READ_MISS, EV_DATA_READ_STALL+COUNT_CYCLES, column
next:   add eax,[esi]
        add esi,ROW
        dec ecx
        jnz next
        EndProfile

        dec edi
        jnz again
        ret
