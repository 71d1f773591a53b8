        xor     ebx,ebx
pixel:  mov     bl,[esi+ecx-1]
        mov     al,[ebx+palette]
        mov     [esi+ecx-1],al
        dec     ecx
        jnz     pixel
;; setup
        mov     esi,offset image
        mov     ecx,1000
;; data
palette db 2080 dup(1)
image   db 2048 dup(1)
