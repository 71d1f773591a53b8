copy16: mov     eax,[esi]
        mov     ebx,[esi+4]
        mov     [edi],eax
        mov     [edi+4],ebx
        mov     eax,[esi+8]
        mov     ebx,[esi+12]
        mov     [edi+8],eax
        mov     [edi+12],ebx
        add     esi,16
        add     edi,16
        dec     ecx
        jnz     copy16
;; setup
        mov     esi,offset a
        mov     edi,offset b
        mov     ecx,100
;; data
a       dd 512 dup(1)
        dd 8 dup(0)
b       dd 512 dup(1)
