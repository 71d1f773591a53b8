; Without prediction a branch takes 3 clocks if it is taken: what a round needs includes them, although the last round
; is faster.
; with cpu = i486
; expect line = No order takes less than 9 clocks (one pipe).
; expect stop = return
        .486
        .model  flat
        .data
a       dd      64 dup(5)
        .code
start:
        mov     esi,offset a
        mov     ecx,64
        StartTSC r
l:      mov     eax,[esi]
        add     esi,4
        xor     eax,ebx
        add     ebx,eax
        mov     [esi-4],eax
        dec     ecx
        jnz     l
        EndTSC
        ret
        end     start
