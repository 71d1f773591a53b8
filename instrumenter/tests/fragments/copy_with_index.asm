; copies dwords downwards
copy:   mov     eax,[esi+ecx*4-4]
        mov     [edi+ecx*4-4],eax
        dec     ecx
        jnz     copy
;; setup
        mov     esi,offset source
        mov     edi,offset target
        mov     ecx,500
;; data
source  dd 512 dup(1)
        dd 8 dup(0)
target  dd 512 dup(1)
