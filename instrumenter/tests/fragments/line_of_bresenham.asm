step:   mov     [edi],al
        inc     edi
        add     edx,ebx
        jle     same
        add     edi,ebp
        sub     edx,esi
same:   dec     ecx
        jnz     step
;; setup
        mov     edi,offset screen
        mov     ecx,1000
        xor     ebp,ebp
        xor     ebx,ebx
        xor     edx,edx
        xor     esi,esi
;; data
screen  db 4096 dup(1)
