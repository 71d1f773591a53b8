; A pass that leaves its region before the end macro is none: neither its clocks nor its trace count, although the start
; macro of the next pass executes the end macro, too. In a recursion each start is followed by an end that belongs to an
; outer one.
; expect line = jumps_out, lines 14-18: 6 clocks warm, 6 cold; measured 6; left 4 times without its end macro
; expect line = jumps_back, lines 25-28: 5 clocks warm, 5 cold; measured 5; left 3 times without its end macro
; expect line = recursion, lines 33-37: 5 clocks warm, 5 cold; measured 5; begun again 2 times before it ended
; expect stop = return
        .586
        .model  flat
        .code
start:
        mov     edx,5
again:
        StartTSC jumps_out
        dec     edx
        jnz     skip
        inc     eax
        EndTSC
        jmp     next
skip:   imul    eax,eax
        imul    eax,eax
        jmp     again
next:
        mov     ecx,4
back:   StartTSC jumps_back
        dec     ecx
        jnz     back
        EndTSC
        mov     ecx,3
        call    descend
        ret
descend:
        StartTSC recursion
        dec     ecx
        jz      over
        call    descend
over:   EndTSC
        ret
        end     start
