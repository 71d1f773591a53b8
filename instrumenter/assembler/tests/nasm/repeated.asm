; Repeated instructions and data, and room of all sizes.
bits 32
section .text
_start: times 3 nop
lbl:    times 2 add eax, [ebx + 4]
        times 4 mov byte [edi], 'a'
        times 5 - ($ - lbl) % 5 nop
        ret
section .data
        times 2 dd 1, 2
arr:    times 3 dw 7
        times 16 - ($ - $$) % 16 db 0x90
        db 1
section .bss
a:      resb 3
b:      resw 2
c:      resd 2
d:      resq 1
e:      rest 1
f:      times 2 resd 3
section .text
        mov eax, [a]
        mov eax, [b]
        mov eax, [c]
        mov eax, [d]
        mov eax, [e]
        mov eax, f
