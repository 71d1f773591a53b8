; The first round of the outer loop begins in V, so its rows stand before the others; its inner loop is folded, too.
; Clocks from the start of an inner round are marked otherwise than those of an outer one.
; expect line = nested, lines 21-32: 123 clocks warm, 194 cold; measured 123
; expect line = inner: 8 rounds, 28 clocks in all: 3 in 7 of them, 7 in the other (mispredicted).
; expect line = +2 dec ecx jnz inner +4 in 1 of 8 rounds: mispredicted
; expect line = inner: 8 rounds, 35 clocks in all: 3 in 5 of them, 6 to 7 in the others (mispredicted); mean 4.4.
; expect line = ++2 dec ecx jnz inner +4 in 2 of 8 rounds: mispredicted
; expect line = +37 dec edx jnz outer
; expect stop = return
        .586
        .model  flat
        .data
array   dd      16 dup (1)
        .code
start:
        xor     eax,eax
        mov     edx,3
        nop
        not     ebx
        not     ebx
        StartTSC nested
        mov     ebx,eax
outer:  mov     esi,offset array
        mov     ecx,8
        not     ebx
inner:  add     eax,[esi]
        add     esi,4
        dec     ecx
        jnz     inner
        dec     edx
        jnz     outer
        EndTSC
        ret
        end     start
