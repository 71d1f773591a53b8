; A shift before an access and an extension of what is known become part of the access or nothing.
        .586
        .model flat
        .data
t       dd 100 dup(3)
cell    db 64 dup(5)
        .code
start:  mov ecx,1000
        xor esi,esi
again:  mov eax,esi
        and eax,7
        shl eax,2               ; four bytes each
        mov edx,t[eax]
        add edi,edx
        xor edx,edx
        mov dl,cell[3]
        movzx edx,dl
        add edi,edx
        inc esi
        dec ecx
        jnz again
        mov eax,edi
        ret
        end start
