; The carry of each addition goes into the next one: nothing may come between that changes it.
        .data
low1    dd 0FFFFFFFFh
high1   dd 1
        .code
start:  mov ecx,10
        xor eax,eax
        xor edx,edx
again:  add eax,low1
        adc edx,high1
        mov esi,offset low1
        mov edi,[esi]
        mov ebx,7
        dec ecx
        jnz again
        ret
        end start
