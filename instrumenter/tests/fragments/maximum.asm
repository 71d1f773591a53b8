        mov     eax,80000000h
next:   mov     edx,[ebx]
        add     ebx,4
        cmp     edx,eax
        jle     smaller
        mov     eax,edx
smaller:
        dec     ecx
        jnz     next
;; setup
        mov     ebx,offset values
        mov     ecx,1000
;; data
values  dd 1024 dup(01010101h)
