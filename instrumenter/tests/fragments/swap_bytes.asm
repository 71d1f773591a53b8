swap:   mov     eax,[esi]
        bswap   eax
        mov     [esi],eax
        add     esi,4
        cmp     esi,edi
        jb      swap
;; setup
        mov     esi,offset values
        mov     edi,offset values + 4000
;; data
values  dd 1024 dup(01010101h)
