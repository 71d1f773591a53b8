; A loop writes the immediate of an instruction that it is about to execute.
; expect stop = return
; expect sum = 15
; with runs = 3
.586
.model flat
.data
sum dd 0
.code
start:
    mov ecx,5
again:
    mov byte ptr patched+1,cl
    jmp patched
patched:
    mov eax,99
    add sum,eax
    dec ecx
    jnz again
    ret
end start
