        mov     ecx,n
        shr     ecx,2
pack:   mov     eax,[esi]
        mov     edx,[esi+4]
        shl     eax,4
        add     esi,8
        or      eax,edx
        mov     [edi],eax
        add     edi,4
        dec     ecx
        jnz     pack
;; setup
        mov     esi,offset a
        mov     edi,offset b
;; data
n       dd 1000, 0,0,0
a       dd 1024 dup(1)
        dd 8 dup(0)
b       dd 512 dup(1)
