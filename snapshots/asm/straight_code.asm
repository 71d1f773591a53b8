; Equal rows of a diagram are written as one, and each wait and each empty V has a reason in words.
; expect line = nops, lines 28-33: 61 clocks warm, 106 cold; measured 61; 2 passes a run
; expect line = 1 nop nop x60, clocks 1 to 60
; expect line = 0 movzx eax,dl - waited 1 before the region: prefix; movzx takes 3 and never pairs
; expect line = 3 mov ecx,dword ptr table[1] mov edi,dword ptr table[13] +3: misaligned access of table+1
; expect line = a pair of two misaligned accesses waits 3 clocks once: an assumption
; expect line = 8 mov table[96],eax mov table[100],ecx +27: write buffer full, table+60h is not cached
; expect line = 36 lidt interrupts - +21: lidt waits until all writes are done; lidt takes 6 and never pairs
; expect line = 63 jmp next - +3: mispredicted, as it leads to the next address; jmp pairs only in V
; expect line = 67 call after - +3: mispredicted, as it leads to the next address; `call` pairs only in V
; expect line = 0 mov eax,1 - V is switched off
; expect line = 1 mul edx - mul takes 9; V is switched off
; expect line = 10 jmp last - +3: mispredicted, as it leads to the next address; V is switched off
.586
.model flat
.data
align 4096
table   dd 64 dup (1)
passes  dd 2
        dw 0
interrupts dw 0
        dd 0
.code
start:
again:
        mov eax,1
        mov edx,2
        StartTSC nops
        mov ecx,eax
        REPT 121
        nop
        ENDM
        EndTSC
        StartTSC waits
        movzx eax,dl
        mov ecx,dword ptr table[1]
        mov edi,dword ptr table[13]
        mov table[64],eax
        mov table[68],ecx
        mov table[96],eax
        mov table[100],ecx
        lidt interrupts
        jmp next
next:   call after
after:  pop ecx
        imul ecx,ecx
        EndTSC
        dec passes
        jnz again
        mov eax,4
        xor edx,edx
        mov ecx,0Eh
        wrmsr
        StartTSC single
        mov eax,1
        mul edx
        jmp last
last:   EndTSC
        xor eax,eax
        xor edx,edx
        mov ecx,0Eh
        wrmsr
        mov passes,2
end start
