        mov     esi,offset a
        mov     edi,offset b
        mov     ebx,offset c
        mov     ecx,256
l1:     mov     eax,[esi+ecx*4-4]
        add     eax,[edi+ecx*4-4]
        mov     [ebx+ecx*4-4],eax
        dec     ecx
        jnz     l1
;; setup
;; data
a       dd      256 dup(1)
b       dd      256 dup(2)
c       dd      256 dup(?)
