; The instructions of the exercise in another order: four clocks, the minimum for seven instructions.
; expect x = 26
; expect y = 48
        .data
        align 4
first   dd 3
second  dd 4
x       dd 0
y       dd 0
        .code
        mov esi,offset first
        mov edi,offset second

        StartTSC answer
        mov eax,[esi]
        mov ebx,[edi]
        add eax,10
        add ebx,20
        shl eax,1
        mov ecx,7
        shl ebx,1
        EndTSC

        mov x,eax
        mov y,ebx
        ret
