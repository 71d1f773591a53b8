; A product with 320, and an exchange.
        .586
        .model flat
        .data
rows    dd 64 dup (5)
        .code
start:  mov esi,offset rows
        mov ecx,64
        xor ebx,ebx
next:   mov edx,320
        mov eax,[esi]
        mul edx
        add ebx,eax
        xchg ebx,edi
        add esi,4
        dec ecx
        jnz next
        xor eax,eax
        xor edx,edx
        ret
        end start
