; What macros, repeats and shared lines make is left alone, and so are lines with budgets.
twice   MACRO register
        shl register,1
        ENDM
        .data
table   dd 1, 2, 3, 4
        .code
start:  mov ecx,10
again:  mov ebx,offset table
        mov eax,[ebx]
        twice eax
        shl eax,1 ; p5: cycles <= 20
        REPT 2
        shl edx,1
        ENDM
        jmp $+2
        dec ecx
        jnz again
        ret
        end start
