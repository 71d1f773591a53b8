; Halves the brightness of 64 pixels of four bytes each, two pixels a round.
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
        mov ebx,[edi]
        mov edx,[esi+4]
        add esi,8
        shr eax,1
        and eax,7F7F7F7Fh
        shr edx,1
        and edx,7F7F7F7Fh
        mov [edi],eax
        mov [edi+4],edx
        add edi,8
        dec ecx
        jnz next
        EndTSC
        ret

end start
