; What one form takes can be assumed otherwise, and other forms stay as they are.
; with assume = mov_sreg=3
; with assume = imul_one_operand=10
; with assume = mispredicted_jump=3
; expect line = loaded, lines 14-16: 3 clocks warm, 3 cold; measured 3
; expect line = multiplied, lines 17-19: 10 clocks warm, 10 cold; measured 10
; expect line = multiplied_otherwise, lines 20-23: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 24-27: 3 clocks warm, 3 cold; measured 3
.586
.model flat
.code
start:
    mov ax,ds
    StartTSC loaded
    mov es,ax
    EndTSC
    StartTSC multiplied
    imul ecx
    EndTSC
    StartTSC multiplied_otherwise
    mul ecx
    imul eax,ecx,3
    EndTSC
    StartTSC jumped
    jmp next
next:
    EndTSC
    ret
end start
