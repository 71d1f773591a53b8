; The sum of 64 dwords, two of them in three clocks.
; expect sum = 2080
        .data
        align 32
n = 0
table   label dword
        REPT 64
n = n + 1
        dd n
        ENDM
behind  label dword
sum     dd 0
        .code
        mov esi,-256
        xor eax,eax
        xor edi,edi

; ESI runs from minus the length of the table to 0, so that it counts as well.
        StartTSC answer
next:   mov edx,behind[esi]
        mov ebx,behind[esi+4]
        add eax,edx
        add esi,8
        lea edi,[edi+ebx]
        jnz next
        add eax,edi
        EndTSC

        mov sum,eax
        ret
