section .text
; Nothing ends the code before its data.
        movzx   edi, byte [a]
        mov     [r+4], edi
a       dd 12345678h
r       dd 0, 0
