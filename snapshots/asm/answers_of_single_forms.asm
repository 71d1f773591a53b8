; What one form takes or counts can be assumed otherwise, and other forms stay as they are.
; with assume = mov_sreg=3
; with assume = imul_one_operand=10
; with assume = mispredicted_jump=3
; with assume = transcendental_flops=1
; expect line = loaded, lines 20-22: 3 clocks warm, 3 cold; measured 3
; expect line = multiplied, lines 23-25: 10 clocks warm, 10 cold; measured 10
; expect line = multiplied_otherwise, lines 26-29: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 30-33: 3 clocks warm, 3 cold; measured 3
; expect line = functions, lines 34-40: 71 clocks warm, 151 cold
; expect line = FLOPS 1 warm, 1 cold; measured 1
.586
.model flat
.data
angle dq 0.5
.code
start:
    fninit
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
    StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,functions
    fld angle
    fsin
    fcom angle
    fabs
    fstp angle
    EndProfile
    ret
end start
