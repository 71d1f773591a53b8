; Counts the negative numbers of a table. Their order matters for the clocks.
; expect negative = 128
        .data
        align 32
table   dd 64 dup (1,-1,-1,1)
negative dd 0
        .code
        mov esi,offset table
        mov ecx,256
        xor eax,eax

        StartTSC exercise
next:   mov ebx,[esi]
        add esi,4
        cmp ebx,0
        jge positive
        inc eax
positive:
        dec ecx
        jnz next
        EndTSC

        mov negative,eax
        ret
