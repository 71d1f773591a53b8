l:      mov     eax,[esi]
        add     esi,4
        dec     ecx
        jnz     l
;; setup
        mov     esi,offset buffer
        mov     ecx,1000
;; data
buffer  dd 1024 dup(1)
