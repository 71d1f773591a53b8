; A lock that is held: with a time to wait it is left held; without one, nothing in a program of one thread can free it.
; expect stop = unsupported line 26
; expect timed_out = 110
; expect not_held = 11
        .586
        .model  flat
        .data
held            dd      1
time            dd      0, 5000
timed_out       dd      0
not_held        dd      0
        .code
start:  mov     esi,offset time
        call    wait_for_it
        mov     timed_out,eax
        xor     esi,esi
        mov     held,2
        call    wait_for_it
        mov     not_held,eax
        mov     held,1
wait_for_it:                            ; The wait for `held` as long as it is 1.
        mov     ebx,offset held
        xor     ecx,ecx
        mov     edx,1
        mov     eax,240
        int     80h
        neg     eax
        ret
        end     start
