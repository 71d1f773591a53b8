        xor     eax,eax
fill:   stosd
        dec     ecx
        jnz     fill
;; setup
        mov     edi,offset buffer
        mov     ecx,1000
;; data
buffer  dd 1024 dup(1)
