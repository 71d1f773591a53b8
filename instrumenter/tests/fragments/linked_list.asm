follow: mov     ebx,[ebx]
        inc     eax
        test    ebx,ebx
        jnz     follow
;; setup
        mov     ebx,offset nodes
        mov     ecx,499
link:   lea     eax,[ebx+4]
        mov     [ebx],eax
        mov     ebx,eax
        dec     ecx
        jnz     link
        mov     ebx,offset nodes
;; data
nodes   dd 1024 dup(0)
