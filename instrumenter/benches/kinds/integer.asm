; A loop of integer instructions, in the code cache.
        .586
        .model flat
        .code
start:  mov     ecx,1000000
again:  add     eax,edx
        mov     ebx,eax
        shl     ebx,3
        add     ebp,4
        xor     edx,ebp
        lea     eax,[ebx+edx*4]
        and     ebx,0FFh
        sub     edx,ebx
        dec     ecx
        jnz     again
        ret
        end     start
