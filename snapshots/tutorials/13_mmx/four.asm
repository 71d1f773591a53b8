; Halves the brightness of 64 pixels of four bytes each, four pixels a round, with MMX.
.586
.mmx
.model flat

.data
        align 8
low7    dq 7F7F7F7F7F7F7F7Fh
picture dd 64 dup(80402010h)
faded   dd 64 dup(?)

.code
start:  mov esi,offset picture
        mov edi,offset faded
        mov ecx,16
        movq mm7,low7

        StartTSC fade
next:   movq mm0,[esi]
        movq mm1,[esi+8]
        psrlq mm0,1
        mov ebx,[edi]
        psrlq mm1,1
        pand mm0,mm7
        pand mm1,mm7
        add esi,16
        movq [edi],mm0
        movq [edi+8],mm1
        add edi,16
        dec ecx
        jnz next
        EndTSC

        emms
        ret

end start
