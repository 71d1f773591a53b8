; The sum of 64 dwords, with limits on its clocks, after a change that looks harmless.
.586
.model flat

.data
        align 32
table   dd 64 dup(5)
total   dd 0

.code
start:  mov esi,offset table-4
        mov ecx,64
        xor eax,eax

        StartTSC sum                    ; p5: cycles <= 200, cold cycles <= 400
next:                                   ; p5: cycles < 3.2, pairs >= 75%
        add esi,4
        mov edx,[esi]                   ; p5: agi == 0
        add eax,edx
        dec ecx
        jnz next
        EndTSC

        mov total,eax
        ret

end start
