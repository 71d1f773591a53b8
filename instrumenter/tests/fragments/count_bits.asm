bits:   mov     eax,[esi]
        add     esi,4
bit:    shr     eax,1
        adc     edx,0
        test    eax,eax
        jnz     bit
        dec     ecx
        jnz     bits
;; setup
        mov     esi,offset words
        mov     ecx,10
;; data
words   dd 1024 dup(01010101h)
