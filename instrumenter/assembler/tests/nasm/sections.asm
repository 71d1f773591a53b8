; Sections that are left and entered again, and directives in brackets.
[bits 32]
[global _start]
default abs
cpu 586
[section .data]
first:  dd 1
segment .text
_start: mov eax, [first]
section .data
second: dd 2
[section .rodata]
third:  dd 3, first, _start
SECTION .text
        mov ebx, [second]
        mov ecx, [third]
        ret
