; The same region between the macros of the library.
; expect stop = return
        .data
        align 32
big     db 16384 dup (1)
        .code

        StartTSC much
        mov esi,offset big
        mov ecx,512
next:   mov eax,[esi]
        add esi,32
        dec ecx
        jnz next
        EndTSC
        ret
