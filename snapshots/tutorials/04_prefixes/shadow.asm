; A checksum of 256 words. Two instructions of the loop have a prefix.
; expect sum = 256
        .data
        align 32
words   dw 256 dup (1)
sum     dd 0
        .code
        mov esi,offset words
        mov ecx,256
        xor eax,eax

        StartTSC checksum
next:   add ax,[esi]
        adc ax,0
        add esi,2
        dec ecx
        jnz next
        EndTSC

        mov sum,eax
        ret
