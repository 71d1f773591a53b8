; An instruction with both a displacement and an immediate operand never pairs.
        .data
        align 4
count   dd 0
total   dd 0
        .code
; Reading the line brings it into the cache; a write that misses would not.
        mov esi,offset count
        mov edi,[esi]

; The address of a variable is a displacement, the number an immediate.
        StartTSC both
        mov count,22
        mov total,33
        EndTSC

; With the address in a register there is no displacement.
        StartTSC immediate
        mov dword ptr [esi],22
        mov edx,33
        EndTSC

; With the value in a register there is no immediate.
        StartTSC displacement
        mov count,edi
        mov total,edi
        EndTSC
        ret
