; Memory without a size, and words of MASM.
bits 32
section .data
value   dd 1
section .text
_start: mov [value], 5
        mov eax, dword ptr [value]
        mov esi, offset value
        cmp [value], al
        inc [value]
