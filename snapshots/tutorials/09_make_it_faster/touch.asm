; Halves the brightness of 64 pixels of four bytes each, and reads each place before it writes to it.
.586
.model flat

.data
picture dd 64 dup(80402010h)
faded   dd 64 dup(?)

.code
start:  mov esi,offset picture
        mov edi,offset faded
        mov ecx,64

        StartTSC fade
next:   mov eax,[esi]
        mov ebx,[edi]
        shr eax,1
        and eax,7F7F7F7Fh
        mov [edi],eax
        add esi,4
        add edi,4
        dec ecx
        jnz next
        EndTSC
        ret

end start
