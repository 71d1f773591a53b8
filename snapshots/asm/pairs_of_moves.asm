; Four independent moves are two pairs; the return issues alone.
; expect stop = return
; expect cycles = 4
; expect instructions = 5
    mov eax,1
    mov edx,2
    mov ecx,3
    mov ebx,4
    ret
