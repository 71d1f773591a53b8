; The line after that of `v` is read ahead while DIV executes, and evicts the line of `w`, which shares its set with it
; and with the line of `x`: each is read anew when it is entered.
; expect line = last run: 22632 clocks, 2204 instructions, 399 in V (18.1%), CPI 10.27
; expect line = rounds, lines 11-32: 22619 clocks warm, 22710 cold; measured 22619
.586
.model flat
.code
start:
    mov esi,3
    mov ecx,200
    StartTSC rounds
    jmp v
    align 4096
v:
    mov eax,ecx
    xor edx,edx
    div esi
    jmp w
    align 4096
    db 32 dup(90h)
w:
    add ebx,1
    jmp x
    align 4096
    db 32 dup(90h)
x:
    mov eax,ecx
    xor edx,edx
    div esi
    dec ecx
    jnz v
    EndTSC
    ret
end start
