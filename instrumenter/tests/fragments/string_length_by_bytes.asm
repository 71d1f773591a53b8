        xor     eax,eax
        dec     eax
next:   inc     eax
        cmp     byte ptr [ebx+eax],0
        jne     next
;; setup
        mov     ebx,offset text
;; data
text    db 1000 dup(1)
        dd 0
