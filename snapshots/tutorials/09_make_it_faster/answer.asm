; Halves the brightness of 64 pixels of four bytes each, two pixels a round, in the order that `advise` suggests.
.586
.model flat

.data
picture dd 64 dup(80402010h)
faded   dd 64 dup(?)

.code
start:  mov esi,offset picture
        mov edi,offset faded
        mov ecx,32

        StartTSC fade
next:   mov eax,[esi]
        mov edx,[esi+4]
        shr eax,1
        mov ebx,[edi]
        shr edx,1
        add esi,8
        and eax,7F7F7F7Fh
        and edx,7F7F7F7Fh
        mov [edi],eax
        mov [edi+4],edx
        add edi,8
        sub ecx,1
        jnz next
        EndTSC
        ret

end start
