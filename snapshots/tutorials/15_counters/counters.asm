; Reads 8 Kbytes twice, one dword per line; the data cache holds exactly as much.
        .data
        align 4096
buffer  db 8192 dup (1)
        .code
        mov edi,2
again:  mov esi,offset buffer
        mov ecx,256

        StartProfile EV_DATA_READ, EV_DATA_READ_MISS, walk
next:   mov eax,[esi]
        add esi,32
        dec ecx
        jnz next
        EndProfile

        dec edi
        jnz again
        ret
