; The load of lookup.asm between two time stamps, in the same loop.
        .586
        .model  flat
        .data
        align   32
table   dd      2000h dup(0)
seen    dd      0
clocks  dd      0
        .code
start:  mov     esi,100000
        mov     edi,12345
next:   imul    edi,edi,69069
        inc     edi
        mov     ebx,edi
        shr     ebx,19
        rdtsc
        mov     ecx,eax
load:   mov     ebx,table[ebx*4]
        inc     seen
        rdtsc
        sub     eax,ecx
        add     clocks,eax
        dec     esi
        jnz     next
        ret
        end     start
