; One operand is as only NASM has it, beside data: nothing else says for which assembler it is.
        movzx   edi, byte [a]
        mov     [r+4], edi
        ret
a       dd 12345678h
r       dd 0, 0
