; In 32-bit code each instruction on words has a prefix byte, 66h, which is decoded alone in the U pipe.

        StartTSC words
        mov ax,1
        mov bx,2
        mov cx,3
        mov dx,4
        EndTSC

        StartTSC dwords
        mov eax,1
        mov ebx,2
        mov ecx,3
        mov edx,4
        EndTSC

; While DIV executes, there is time to decode a prefix.
        xor edx,edx
        StartTSC hidden
        div ebx
        mov cx,3
        EndTSC
