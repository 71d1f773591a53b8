        .586
        .model flat
        .data
words   dw 64 dup(7)
        .code
start:  mov esi,offset words
        mov ecx,60
        xor edx,edx
again:  movzx eax,word ptr [esi]
        add edx,eax
        add esi,2
        dec ecx
        jnz again
        xor eax,eax
        ret
        end start
