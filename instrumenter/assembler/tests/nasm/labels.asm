; Labels without colons, labels of labels, and the places of lines and sections.
bits 32
section .text
global _start
_start:
        jmp .over
.data   dd .over, _start, other.over
.over:  mov eax, [.data]
        mov ebx, .data + 4
        call other
        jz other.over
        jmp $
        jmp $+2
other   mov ecx, $ - $$
.over   dec ecx
        jnz .over
        jnz _start.over
..@free: loop ..@free
        jmp .over
        lea esi, [table + ecx*4]
        mov eax, [table + 4 + ecx*4]
        jmp near .over
        jmp short .over
        jnz near .over
$eax:   mov eax, $eax
        ret
section .data
table   dd $, $$, $ - $$, table.end
.end:
size    equ .end - table
        dd size, table.end - table
        align 16
        dd 1
        align 8, db 0xCC
        db 1
        alignb 4
        dd _start
section .text
        mov eax, size
        push size
        add eax, byte size
        align 16
        nop
