; The only dead register of the sum in memory is EBP.
        .586
        .model flat
number  equ 8
        .data
factors dd number dup (89ABCDEFh)
sums    dd number dup (0FFFFFFFFh)
        .code
start:  mov esi,offset factors
        mov edi,offset sums
        mov ebx,0CAFEBABEh
        xor ebp,ebp
        xor ecx,ecx
next:   mov eax,[esi+ecx*4]
        mul ebx
        add eax,ebp
        adc edx,0
        add [edi+ecx*4],eax
        adc edx,0
        mov ebp,edx
        inc ecx
        cmp ecx,number
        jb next
        mov eax,ebp
        ret
        end start
