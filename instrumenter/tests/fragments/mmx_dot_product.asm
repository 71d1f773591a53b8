        pxor    mm7,mm7
mac:    movq    mm0,[eax]
        pmaddwd mm0,[edx]
        add     eax,8
        paddd   mm7,mm0
        add     edx,8
        sub     ecx,4
        jnz     mac
        emms
;; setup
        mov     eax,offset a
        mov     edx,offset b
        mov     ecx,1000
;; data
a       dd 512 dup(01010101h)
        dd 8 dup(0)
b       dd 512 dup(01010101h)
