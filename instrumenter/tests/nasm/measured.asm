; Regions of the bundled library, and results with real numbers.
bits 32
global _start
section .data
arr:    times 64 dd 3
half:   dd 0.5
result: dq 0.0
section .text
_start: mov esi, arr
        mov ecx, 64
        xor eax, eax
        StartTSC "sum"
.next:  add eax, [esi]
        add esi, 4
        dec ecx
        jnz .next
        EndTSC
        StartProfile EV_INSTRUCTIONS_EXECUTED, EV_DATA_READ, "real"
        fld dword [half]
        fadd st0, st0
        fstp qword [result]
        EndProfile
        mov eax, 1
        int 0x80
