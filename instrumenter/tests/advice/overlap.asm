; The first store may change what the next instruction reads, so they stay; the second one is apart from what follows.
        .data
cells   dd 1, 2, 3, 4, 5, 6
here    dd cells
there   dd cells
        .code
start:  mov esi,here
        mov edi,there
        mov ecx,10
again:  mov [esi+4],ecx
        mov eax,[edi+4]
        shl eax,2
        mov [edi+8],eax
        mov edx,[edi+12]
        shl edx,2
        add edx,eax
        dec ecx
        jnz again
        ret
        end start
