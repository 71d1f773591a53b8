; A store that misses does not fetch its line. It goes to memory through the write buffer of its pipe, and the next one
; waits until that is free.
        .data
        align 32
line    dd 8 dup (0)
unread  dd 8 dup (0)
        .code
        mov eax,line
        mov ebx,1

        StartTSC cached
        mov line,ebx
        mov line+4,ebx
        mov line+8,ebx
        mov line+12,ebx
        EndTSC

        StartTSC missing
        mov unread,ebx
        mov unread+4,ebx
        mov unread+8,ebx
        mov unread+12,ebx
        EndTSC
        ret
