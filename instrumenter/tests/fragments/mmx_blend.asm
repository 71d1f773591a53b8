blend:  movq    mm0,[esi]
        movq    mm1,[edi]
        paddusb mm0,mm1
        movq    [edi],mm0
        add     esi,8
        add     edi,8
        dec     ecx
        jnz     blend
        emms
;; setup
        mov     esi,offset a
        mov     edi,offset b
        mov     ecx,250
;; data
a       dd 512 dup(01010101h)
        dd 8 dup(0)
b       dd 512 dup(01010101h)
