; Carries, conditions and counts are results as registers are, so the bound has their chains and the clocks they took.
; expect line = No order takes less than 4 clocks (a chain of results).
; expect line = No order takes less than 3 clocks (a chain of results).
; expect line = No order takes less than 1038 clocks (rep movsd never pairs).
        .data
        align 32
src     dd 1024 dup(1)
dst     dd 1024 dup(0)
        .code
start:  StartTSC carries
        add eax,ebx
        adc ecx,ebx
        adc edx,ebx
        mov esi,edx
        EndTSC
        StartTSC borrow
        sub eax,ebx
        sbb ecx,ebx
        mov esi,ecx
        EndTSC
        StartTSC copy
        mov esi,offset src
        mov edi,offset dst
        mov ecx,1024
        rep movsd
        EndTSC
        ret
        end start
