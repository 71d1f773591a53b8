; An address that is computed right before it is used, and a LOOP.
        .data
p       dd offset q
q       dd 5
r       dd 0
        .code
start:  mov ecx,100
again:  mov ebx,p
        mov eax,[ebx]
        inc eax
        mov edx,7
        mov edi,9
        mov r,eax
        loop again
        xor ebx,ebx
        ret
        end start
