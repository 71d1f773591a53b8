; Measuring macros of the source itself.
bits 32
%macro StartTSC 0-1
        rdtsc
        mov [begun], eax
%endmacro
%macro EndTSC 0
        rdtsc
        sub eax, [begun]
        mov [took], eax
%endmacro
section .bss
begun:  resd 1
took:   resd 1
section .text
global _start
_start: StartTSC inner
        mov ecx, 5
.wait:  dec ecx
        jnz .wait
        EndTSC
        mov eax, 1
        int 80h
