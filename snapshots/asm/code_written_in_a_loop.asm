; A region that modifies its own code so often that every decoded instruction is discarded along the way.
; with runs = 1
; expect stop = end
; expect total = 28042416
        StartTSC written
        xor ebx,ebx
        mov ecx,220000
next:   mov byte ptr [patched+1],cl
patched: mov al,0
        movzx eax,al
        add ebx,eax
        dec ecx
        jnz next
        EndTSC
        mov total,ebx
total   dd 0
