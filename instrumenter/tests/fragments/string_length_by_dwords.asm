; looks for a zero byte in four bytes at once
scan:   mov     eax,[edx]
        add     edx,4
        lea     ebx,[eax-01010101h]
        not     eax
        and     ebx,eax
        and     ebx,80808080h
        jz      scan
;; setup
        mov     edx,offset text
;; data
text    db 4000 dup(1)
        dd 0
