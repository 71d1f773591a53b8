; One instruction fills up to an alignment, and no line spells it.
        .586
        .model flat
        .code
start:  mov ecx,10
        mov eax,1
        mov edx,2
        align 16
again:  add eax,edx
        dec ecx
        jnz again
        ret
        end start
