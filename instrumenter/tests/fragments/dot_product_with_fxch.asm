; two products in flight
product:
        fld     dword ptr [esi]
        fmul    dword ptr [edi]
        fld     dword ptr [esi+4]
        fmul    dword ptr [edi+4]
        fxch    st(1)
        faddp   st(3),st
        faddp   st(1),st
        add     esi,8
        add     edi,8
        dec     ecx
        jnz     product
;; setup
        mov     esi,offset a
        mov     edi,offset b
        mov     ecx,250
        fldz
        fldz
;; data
a       dd 512 dup(1.0)
        dd 8 dup(0)
b       dd 512 dup(1.0)
