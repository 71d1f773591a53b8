; The subtraction has set the flags of the comparison.
        .586
        .model flat
        .data
values  dd 64 dup (3)
        .code
start:  mov esi,offset values
        mov ecx,64
        xor eax,eax
next:   add eax,[esi]
        add esi,4
        sub ecx,1
        cmp ecx,0
        jne next
        xor ecx,ecx
        ret
        end start
