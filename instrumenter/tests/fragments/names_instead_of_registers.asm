        mov     esi,source
        mov     edi,target
        mov     ecx,count
copy:   mov     eax,[esi]
        add     esi,4
        mov     [edi],eax
        add     edi,4
        dec     ecx
        jnz     copy
        jmp     done
;; setup
;; data
source  dd offset a, 0,0,0
target  dd offset b, 0,0,0
count   dd 500, 0,0,0
a       dd 512 dup(1)
        dd 8 dup(0)
b       dd 512 dup(1)
;; after
done:   ret
