        mov     ecx,1000
l1:     mov     eax,src[ecx*4-4]
        mov     dst[ecx*4-4],eax
        dec     ecx
        jnz     l1
;; setup
;; data
src     dd      1000 dup(1)
dst     dd      1000 dup(?)
