scale:  mov     eax,[esi]
        imul    dword ptr factor
        shrd    eax,edx,16
        mov     [esi],eax
        add     esi,4
        dec     ecx
        jnz     scale
;; setup
        mov     esi,offset samples
        mov     ecx,1000
;; data
factor  dd 4 dup(0)
samples dd 1024 dup(01010101h)
