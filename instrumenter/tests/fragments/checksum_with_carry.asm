; the checksum of an Internet header, a dword at a time
        xor     eax,eax
again:  adc     eax,[esi]
        lea     esi,[esi+4]
        dec     ecx
        jnz     again
        adc     eax,0
;; setup
        mov     esi,offset buffer
        mov     ecx,1000
;; data
buffer  dd 1024 dup(01010101h)
