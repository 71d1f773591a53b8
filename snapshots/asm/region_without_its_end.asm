; A region whose end is never reached has no clocks to report, but the clocks until the program stopped are shown.
; expect line = endless, lines 17-22: no pass reached its end macro
; expect line = 0 mov esi,offset x - next mov needs esi
; expect line = 2 mov eax,[esi] nop waited 1: AGI, mov wrote esi
; expect stop = fault 0 line 21
        .586
        .model  flat
        .data
x       dd      7
        .code
start:
        xor     edx,edx
        xor     ebx,ebx
        nop
        nop
        nop
        StartTSC endless
        mov     esi,offset x
        mov     eax,[esi]
        nop
        div     ebx
        EndTSC
        ret
        end     start
