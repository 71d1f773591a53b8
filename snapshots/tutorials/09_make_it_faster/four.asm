; Halves the brightness of 64 pixels of four bytes each, four pixels a round.
.586
.model flat

.data
picture dd 64 dup(80402010h)
faded   dd 64 dup(?)

.code
start:  mov esi,offset picture
        mov edi,offset faded
        mov ecx,16

        StartTSC fade
next:   mov eax,[esi]
        mov ebx,[esi+4]
        shr eax,1
        mov edx,[esi+8]
        shr ebx,1
        mov ebp,[esi+12]
        shr edx,1
        and eax,7F7F7F7Fh
        shr ebp,1
        and ebx,7F7F7F7Fh
        and edx,7F7F7F7Fh
        and ebp,7F7F7F7Fh
        cmp [edi],eax
        mov [edi],eax
        mov [edi+4],ebx
        mov [edi+8],edx
        mov [edi+12],ebp
        add esi,16
        add edi,16
        sub ecx,1
        jnz next
        EndTSC
        ret

end start
