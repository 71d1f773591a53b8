; one coordinate of a vertex a round, with values from the FPU's stack
vertex: fld     dword ptr [esi]
        fmul    st,st(1)
        fld     dword ptr [esi+4]
        fmul    st,st(3)
        faddp   st(1),st
        fstp    dword ptr [edi]
        add     esi,12
        add     edi,4
        dec     ecx
        jne     vertex
;; setup
        mov     esi,offset a
        mov     edi,offset b
        mov     ecx,100
        fld1
        fld1
;; data
a       dd 512 dup(1.0)
        dd 8 dup(0)
b       dd 512 dup(1.0)
