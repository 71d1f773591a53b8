; Sets 2 Kbytes to zero. Where do the clocks go?
; expect stop = return
        .data
        align 4096
table   dd 512 dup (1)
        .code
        mov edi,offset table
        mov ecx,64
        xor eax,eax

        StartTSC exercise
next:   mov [edi],eax
        mov [edi+4],eax
        mov [edi+8],eax
        mov [edi+12],eax
        mov [edi+16],eax
        mov [edi+20],eax
        mov [edi+24],eax
        mov [edi+28],eax
        add edi,32
        dec ecx
        jnz next
        EndTSC
        ret
