; Lines that macros and repeats make.
%define WORDS 8
%macro copy 1
        mov eax, [esi + %1 * 4]
        mov [edi + %1 * 4], eax
%endmacro
bits 32
global _start
section .bss
from:   resd WORDS
to:     resd WORDS
section .text
_start: mov esi, from
        mov edi, to
%assign i 0
%rep WORDS
        copy i
%assign i i + 1
%endrep
        times 2 nop
        mov eax, 1
        int 80h
