; void add(long *to, long *from, int n)
        push    ebp
        mov     ebp,esp
        push    esi
        push    edi
        mov     edi,[ebp+8]
        mov     esi,[ebp+12]
        mov     ecx,[ebp+16]
again:  mov     eax,[esi]
        mov     edx,[edi]
        add     edx,eax
        add     esi,4
        mov     [edi],edx
        add     edi,4
        dec     ecx
        jnz     again
        pop     edi
        pop     esi
        pop     ebp
        ret
;; setup
        push    500
        push    offset from
        push    offset to
        push    offset over
;; data
to      dd 512 dup(1)
        dd 10 dup(0)
from    dd 512 dup(1)
;; after
over:
        add     esp,12
        ret
