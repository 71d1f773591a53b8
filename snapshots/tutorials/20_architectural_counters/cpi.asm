; Clocks per instruction of three procedures: unhalted, then nominal.
        .586p
        .model  flat
        include perfmon.inc
        .code
pairs:  mov     ecx,1000
next:   add     eax,1
        add     ebx,1
        dec     ecx
        jnz     next
        ret

divide: mov     ecx,100
again:  xor     edx,edx
        mov     eax,ecx
        div     ecx
        dec     ecx
        jnz     again
        ret

both    macro   procedure
        mov     esi,offset procedure
        call    get_unhalted_cpi
        mov     esi,eax
        call    print_dword_decimal
        call    println
        mov     esi,offset procedure
        call    get_nominal_cpi
        mov     esi,eax
        call    print_dword_decimal
        call    println
        endm

start:  both    pairs
        both    divide
        both    test_func
        both    test_print_float
        ret
        end     start
