; Looks random keys up in a table of 32 KiB, and counts those whose entry is
; odd: a load that misses, and a branch that nothing predicts.
        .586
        .model  flat
        .data
        align   32
table   dd      2000h dup(0)
seen    dd      0
odds    dd      0
evens   dd      0
        .code
fill    proc
        mov     ecx,2000h
        mov     eax,1
put:    imul    eax,eax,69069
        inc     eax
        mov     edx,eax
        shr     edx,16
        mov     table[ecx*4-4],edx
        dec     ecx
        jnz     put
        ret
fill    endp

lookup  proc
        mov     ecx,100000
        mov     eax,12345
next:   imul    eax,eax,69069
        inc     eax
        mov     edx,eax
        shr     edx,19
load:   mov     edx,table[edx*4]
        inc     seen
        test    edx,1
chance: jz      none
        inc     ebx
        jmp     on
none:   inc     esi
        nop
on:     dec     ecx
        jnz     next
        ret
lookup  endp

start:  xor     ebx,ebx
        xor     esi,esi
        call    fill
        call    lookup
        mov     odds,ebx
        mov     evens,esi
        ret
        end     start
