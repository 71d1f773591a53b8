; Budgets in comments.
bits 32
global _start
section .data
arr:    times 16 dd 3
; p5: cycles <= 2
section .text
_start: mov esi, arr
        mov ecx, 16
.next:                          ; p5: cycles < 2
        add eax, [esi]
        add esi, 4
        dec ecx
        jnz .next
        mov eax, 1              ; p5: cycles <= 5
        int 80h
