root:   fld     dword ptr [edi+ecx*4]
        fsqrt
        fstp    dword ptr [edi+ecx*4]
        dec     ecx
        jns     root
;; setup
        mov     edi,offset values
        mov     ecx,999
;; data
values  dd 1024 dup(1.0)
