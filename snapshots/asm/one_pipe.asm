; The i486 executes one instruction after another. An index costs a clock, as does an address that was just written; a
; taken branch takes three. Nothing is measured without a time stamp counter, but the clocks are shown.
; with cpu = i486
; expect line = one_by_one, lines 23-29: 9 clocks warm, 50 cold; not measured
; expect line = this chip has no time stamp counter, so nothing is measured; all clocks are the simulation's own
; expect line = No order takes less than 8 clocks (one pipe).
; expect family = 4
; expect _TSC = 0
; expect stop = return
        .486
        .model  flat
        .data
family  dd      0
area    dd      16 dup(0)
        .code
start:
        xor     eax,eax
        inc     eax
        cpuid
        shr     eax,8
        mov     family,eax
        mov     ecx,4
        StartTSC one_by_one
        mov     eax,ebx
        mov     esi,offset area
        mov     edx,[esi]
        mov     edx,[esi+ecx*4]
        jmp     over
over:   EndTSC
        ret
        end     start
