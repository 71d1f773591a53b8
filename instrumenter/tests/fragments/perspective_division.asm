divide: mov     eax,[esi]
        cdq
        idiv    ebx
        mov     [esi],eax
        add     esi,4
        dec     ecx
        jnz     divide
;; setup
        mov     esi,offset points
        mov     ebx,3
        mov     ecx,1000
;; data
points  dd 1024 dup(01010101h)
