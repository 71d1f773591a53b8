tally:  xor     eax,eax
        mov     al,[esi]
        inc     esi
        inc     dword ptr [counts+eax*4]
        dec     ecx
        jnz     tally
;; setup
        mov     esi,offset image
        mov     ecx,1000
;; data
counts  dd 520 dup(0)
image   db 2048 dup(1)
