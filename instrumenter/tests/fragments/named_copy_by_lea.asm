        lea     esi,src
        lea     edi,dst
        mov     ecx,100
l1:     mov     eax,[esi]
        mov     [edi],eax
        add     esi,4
        add     edi,4
        dec     ecx
        jnz     l1
;; setup
;; data
src     dd      100 dup(1)
dst     dd      100 dup(?)
