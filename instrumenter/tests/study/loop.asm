; A loop of 8 ops, 16384 rounds. Every round reads a line that the data cache does not have, and adds what it read:
; the add waits, and what is dispatched next is taken too often by samplers that count clocks.
; A period that is a multiple of 8 takes one and the same op, unless the distance is random.
ifndef PASSES
PASSES  equ     8
endif
        .586
        .model  flat
        .data?
        align   32
array   db      65536 dup(?)
        .code
start:  mov     ebp,PASSES
pass:   mov     esi,offset array
        mov     ecx,2048
next:   mov     eax,[esi]
        add     ebx,eax
        add     esi,32
        xor     edx,edx
        inc     edi
        lea     ebx,[ebx+1]
        dec     ecx
        jnz     next
        dec     ebp
        jnz     pass
        ret
        end     start
