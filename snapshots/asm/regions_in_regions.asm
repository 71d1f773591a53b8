; What the macros of an inner region take of an outer one is one row for each of its edges.
; expect line = clock U V why not faster
; expect line = b, lines 8-10: 1 clock warm, 1 cold; measured 1
        .code
start:
        StartTSC a
        mov ebx,1
        StartTSC b
        mov eax,1
        EndTSC
        mov ecx,1
        EndTSC
        ret
        end start
