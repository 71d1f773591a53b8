; The sum of 64 dwords at four clocks each. Can it take fewer than two?
; expect sum = 2080
        .data
        align 32
n = 0
table   label dword
        REPT 64
n = n + 1
        dd n
        ENDM
sum     dd 0
        .code
        mov esi,offset table
        mov ecx,64
        xor eax,eax

        StartTSC exercise
next:   add eax,[esi]
        dec ecx
        lea esi,[esi+4]
        jnz next
        EndTSC

        mov sum,eax
        ret
