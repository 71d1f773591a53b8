; Two sums in memory: each takes three clocks, and two of them pair badly.
        .data
one     dd 0
two     dd 0
        .code
start:  mov ecx,50
again:  add one,ecx
        add two,ecx
        dec ecx
        jnz again
        xor eax,eax
        xor edx,edx
        xor ebx,ebx
        ret
        end start
