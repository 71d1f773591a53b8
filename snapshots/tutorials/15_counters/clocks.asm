; The same event in both counters: how often it occurs, and in how many clocks.
        .data
        align 4096
buffer  db 16384 dup (1)
        .code
        mov esi,offset buffer
        mov ecx,256
        StartProfile EV_DATA_READ, EV_DATA_READ+COUNT_CYCLES, reads
next:   mov eax,[esi]
        mov ebx,[esi+4]
        add esi,32
        dec ecx
        jnz next
        EndProfile

; The next region reads memory that is not in the cache.
        mov ecx,256
        StartProfile EV_DATA_READ_STALL, EV_DATA_READ_STALL+COUNT_CYCLES, stalls
next2:  mov eax,[esi]
        mov ebx,[esi+4]
        add esi,32
        dec ecx
        jnz next2
        EndProfile
        ret
