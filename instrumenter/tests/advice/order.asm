; A loop whose instructions stand in the order of thought, not of the pipes.
        .data
values  dd 64 dup (3)
total   dd 0
        .code
start:  mov     esi, offset values
        mov     ecx, 32
        xor     edx, edx
        xor     edi, edi
        StartTSC sums
next:   mov     eax, [esi]      ; the even one
        shl     eax, 1          ; twice
        add     edx, eax        ; their sum

        ; The other half.
        mov     ebx, [esi+4]
        add     edi, ebx        ; their sum
        add     esi, 8          ; the next two
        dec     ecx
        jnz     next
        EndTSC
        add     edx, edi
        mov     total, edx
        ret
        end start
