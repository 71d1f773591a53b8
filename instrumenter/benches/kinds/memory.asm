; A loop that reads and writes 4 KiB, in the data cache.
        .586
        .model flat
        .data?
data    dd      1056 dup(?)
        .code
start:  mov     ecx,1000000
        mov     esi,offset data
        mov     edi,offset data+40h
again:  mov     eax,[esi]
        add     eax,[esi+4]
        mov     edx,ecx
        and     edx,3FFh
        mov     [edi],eax
        mov     ebx,[esi+edx*4]
        add     ebx,eax
        mov     [edi+edx*4],ebx
        dec     ecx
        jnz     again
        ret
        end     start
