; The same with an error in either dialect: the messages are those of MASM.
        movzx   edi, byte [a]
        mov     [r+4], edi, 5, 6
        ret
a       dd 12345678h
r       dd 0, 0
