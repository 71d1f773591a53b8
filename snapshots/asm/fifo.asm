; The P55C decodes lengths ahead of D1. A size prefix takes two clocks, which the FIFO hides once it holds instructions:
; behind multiplies it is full. Behind pairs it only keeps what it has, four instructions, or two clocks of five here.
; with cpu = p55c
; expect line = hidden, lines 13-21: 21 clocks warm, 21 cold; measured 21
; expect line = 18 add ax,bx add si,bx
; expect line = shown, lines 22-31: 7 clocks warm, 7 cold; measured 7
; expect line = 5 add ax,bx mov si,bx waited 3: prefix
; expect line = D1_STARVED 0 warm, 0 cold; measured 0
        .586
        .model  flat
        .code
start:
        StartTSC hidden
        imul    eax,ecx
        imul    edx,ecx
        add     ax,bx
        add     si,bx
        add     bp,bx
        mov     ecx,ecx
        xor     ebx,ebx
        EndTSC
        StartTSC shown
        mov     eax,ebx
        mov     ecx,ebx
        mov     eax,ebx
        mov     ecx,ebx
        add     ax,bx
        mov     si,bx
        mov     eax,ebx
        mov     ecx,ebx
        EndTSC
        StartProfile EV_D1_STARVED, EV_D1_HAD_ONE_INSTRUCTION, quiet
        mov     eax,ebx
        mov     ecx,ebx
        EndProfile
        ret
        end     start
