; A round of SHA-1: rotates set CF and OF only, and the sum may be gathered in any order.
        .586
        .model flat
        .data
w       dd 12345678h
        .code
start:  mov ebp,100
next:   mov edi,ecx
        xor edi,edx
        and edi,ebx
        xor edi,edx
        ror ebx,2
        add esi,edi
        mov edi,eax
        rol edi,5
        add esi,[w]
        lea esi,[esi+edi+5A827999h]
        dec ebp
        jnz next
        ret
        end start
