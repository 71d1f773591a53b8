; Halves the brightness of 64 pixels of four bytes each, two pixels a round, with MMX.
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
        mov ecx,32
        movq mm7,low7

        StartTSC fade
next:   movq mm0,[esi]
        psrlq mm0,1
        pand mm0,mm7
        movq [edi],mm0
        add esi,8
        add edi,8
        dec ecx
        jnz next
        EndTSC

        emms
        ret

end start
