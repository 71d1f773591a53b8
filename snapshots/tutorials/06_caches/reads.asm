; Reads that hit the data cache, and reads that do not.
        .data
        align 32
line    dd 1,2,3,4,5,6,7,8
        align 4096
large   dd 4096 dup (1)
        .code
        mov esi,offset line
        mov eax,[esi]

        StartTSC cached
        mov eax,[esi]
        mov ebx,[esi+4]
        EndTSC

; 16 Kbytes, twice the cache: when the loop begins again, the first lines are gone.
        mov esi,offset large
        mov ecx,512
        StartTSC line_by_line
next:   mov eax,[esi]
        add esi,32
        dec ecx
        jnz next
        EndTSC

; The same lines, and every dword of them.
        mov esi,offset large
        mov ecx,512
        StartTSC all_dwords
all:    mov eax,[esi]
        mov ebx,[esi+4]
        mov eax,[esi+8]
        mov ebx,[esi+12]
        mov eax,[esi+16]
        mov ebx,[esi+20]
        mov eax,[esi+24]
        mov ebx,[esi+28]
        add esi,32
        dec ecx
        jnz all
        EndTSC
        ret
