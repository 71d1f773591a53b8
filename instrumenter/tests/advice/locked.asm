; XCHG with memory locks the bus, which the model of a block alone does not tell.
        .586
        .model flat
        .data
cell    dd 3
        .code
start:  mov ecx,1000
        mov ebx,offset cell
again:  mov eax,ecx
        xchg eax,[ebx]          ; old for new
        add esi,eax
        dec ecx
        jnz again
        mov eax,esi
        ret
        end start
