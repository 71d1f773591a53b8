; A loop of 26 KiB of code, which is more than the code cache of any chip holds.
        .586
        .model flat
        .code
start:  mov     ecx,1000
again:
        rept    2048
        add     eax,ebx
        mov     edx,esi
        xor     ebx,edx
        add     edi,12345
        endm
        dec     ecx
        jnz     again
        ret
        end     start
