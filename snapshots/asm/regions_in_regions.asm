; What the macros of an inner region take of an outer one is one row for each of its edges.
; expect line = The pass shown includes 248 clocks of the probes of b.
; expect line = 1 probe of b - 151 clocks
; expect line = 153 probe of b - 97 clocks
; expect line = b, lines 10-12: 1 clock warm, 1 cold; measured 1
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
