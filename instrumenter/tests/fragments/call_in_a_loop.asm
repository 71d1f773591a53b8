each:   push    ecx
        push    dword ptr [esi]
        call    process
        add     esp,4
        pop     ecx
        add     esi,4
        dec     ecx
        jnz     each
;; setup
        mov     esi,offset values
        mov     ecx,1000
;; data
values  dd 1024 dup(01010101h)
;; after
        ret
process:
        ret
