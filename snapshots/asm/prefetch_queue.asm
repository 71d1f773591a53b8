; On the i486 data and code share the cache. Loads in every clock leave none for prefetches: once the queue is used up,
; a clock goes to the code for each 16 bytes of it.
; with cpu = i486
; expect line = starved, lines 14-20: 27 clocks warm, 133 cold; not measured
; expect line = 12 mov eax,[esi+10h] - waited 1: prefetch queue
; expect stop = return
        .486
        .model  flat
        .data
area    db      128 dup(0)
        .code
start:  mov     esi,offset area
        mov     eax,[esi]
        StartTSC starved
        nop
        rept    12
        mov     eax,[esi+16]
        mov     ecx,[esi+17*4]
        endm
        EndTSC
        ret
        end     start
