; A branch that is taken two times of three: the P55C learns the pattern, and its return stack predicts the returns to
; all three calls. The NOPs keep a call and a jump from ending in the same aligned dword, where they share an entry.
; with cpu = p55c
; expect calls = 600
; expect thirds = 100
; expect line = PIPELINE_FLUSHES 1 warm, 10 cold; measured 1
        .586
        .model  flat
        .data
calls   dd      0
thirds  dd      0
        .code
start:
        StartProfile EV_PIPELINE_FLUSHES, EV_BRANCHES, learned
        mov     ecx,300
        mov     edx,3
        mov     calls,0
        mov     thirds,0
again:  call    routine
        dec     edx
        jnz     other
        mov     edx,3
        inc     thirds
        call    routine
        nop
        nop
        nop
        jmp     next
other:  call    routine
next:   dec     ecx
        jnz     again
        EndProfile
        ret
routine:
        inc     calls
        ret
        end     start
