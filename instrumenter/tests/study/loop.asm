; A loop of 8 ops, 16384 rounds. Every round reads a line that the data cache does not have, and what is dispatched
; behind it waits: samplers that count clocks take it too often.
; A period that is a multiple of 8 takes one and the same op, unless the distance is random.
        .586
        .model  flat
        .data?
        align   32
array   db      524288 dup(?)
        .code
start:  mov     esi,offset array
        mov     ecx,16384
next:   mov     eax,[esi]
        add     ebx,eax
        add     esi,32
        xor     edx,edx
        inc     edi
        lea     ebx,[ebx+1]
        dec     ecx
        jnz     next
        ret
        end     start
