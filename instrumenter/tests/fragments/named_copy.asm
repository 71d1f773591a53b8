        mov     ecx,100
        mov     esi,offset src
        mov     edi,offset dst
l1:     mov     eax,[esi]
        add     esi,4
        mov     [edi],eax
        add     edi,4
        dec     ecx
        jnz     l1
;; setup
;; data
src     dd      100 dup(1)
dst     dd      100 dup(?)
