; MMX, which a Pentium with MMX has.
bits 32
global _start
section .data
align 8
many:   times 8 dw 3
section .text
_start: movq mm0, [many]
        paddw mm0, [many + 8]
        pmaddwd mm0, mm0
        movd ebx, mm0
        emms
        mov eax, 1
        int 80h
