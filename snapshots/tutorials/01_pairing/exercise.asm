; Seven instructions in five clocks. How few can they take?
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

        StartTSC exercise
        mov eax,[esi]
        add eax,10
        shl eax,1
        mov ebx,[edi]
        add ebx,20
        shl ebx,1
        mov ecx,7
        EndTSC

        mov x,eax
        mov y,ebx
        ret
