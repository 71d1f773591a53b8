; The same sum, two words at a time and without prefixes; the halves of EAX are added at the end.
; expect sum = 256
        .data
        align 32
words   dw 256 dup (1)
sum     dd 0
        .code
        mov esi,offset words
        mov ecx,128
        xor eax,eax

        StartTSC checksum
next:   add eax,[esi]
        adc eax,0
        add esi,4
        dec ecx
        jnz next
        mov ebx,eax
        shr ebx,16
        add ax,bx
        adc ax,0
        EndTSC

        and eax,0FFFFh
        mov sum,eax
        ret
