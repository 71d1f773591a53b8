ratio:  fld     qword ptr [esi]
        fdiv    qword ptr [edi]
        fstp    qword ptr [esi]
        add     esi,8
        add     edi,8
        sub     ecx,1
        jnz     ratio
;; setup
        mov     esi,offset a
        mov     edi,offset b
        mov     ecx,250
;; data
a       dq 256 dup(1.0)
        dd 8 dup(0)
b       dq 256 dup(1.0)
