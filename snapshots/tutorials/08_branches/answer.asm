; The sign bit itself is added, so nothing has to be predicted.
; expect negative = 128
        .data
        align 32
table   dd 64 dup (1,-1,-1,1)
negative dd 0
        .code
        mov esi,offset table
        mov ecx,256
        xor eax,eax

        StartTSC answer
next:   mov ebx,[esi]
        add esi,4
        shr ebx,31
        dec ecx
        lea eax,[eax+ebx]
        jnz next
        EndTSC

        mov negative,eax
        ret
