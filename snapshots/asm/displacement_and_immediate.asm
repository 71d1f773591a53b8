; A displacement together with an immediate: on the P55C such an instruction pairs, but only in U.
; Source: Agner Fog, Microarchitecture (2020-09), 3.3.
; with cpu = p55c
; expect line = 0 mov first,1 mov eax,ebx
; expect line = 1 mov first,2 - next mov has displacement and immediate
; expect line = No order takes less than 3 clocks (only U runs some).
        .586
        .model  flat
        .data
first   dd      0
second  dd      0
        .code
start:
        mov     eax,first
        StartTSC constants
        mov     first,1
        mov     eax,ebx
        mov     first,2
        mov     second,3
        EndTSC
        ret
        end     start
