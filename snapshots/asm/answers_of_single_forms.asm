; What one form takes or counts can be assumed otherwise, and other forms stay as they are.
; with assume = mov_sreg=3
; with assume = imul_one_operand=10
; with assume = mispredicted_jump=3
; with assume = transcendental_flops=1
; expect line = loaded, lines 28-30: 3 clocks warm, 3 cold; measured 3
; expect line = multiplied, lines 31-33: 10 clocks warm, 10 cold; measured 10
; expect line = multiplied_otherwise, lines 34-37: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 38-41: 3 clocks warm, 3 cold; measured 3
; expect line = functions, lines 42-48: 71 clocks warm, 151 cold
; expect line = FLOPS 1 warm, 1 cold; measured 1
; again
; With the usual answers.
; expect line = loaded, lines 28-30: 2 clocks warm, 2 cold; measured 2
; expect line = multiplied, lines 31-33: 9 clocks warm, 9 cold; measured 9
; expect line = multiplied_otherwise, lines 34-37: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 38-41: 4 clocks warm, 4 cold; measured 4
; expect line = functions, lines 42-48: 71 clocks warm, 151 cold
; expect line = FLOPS 21 warm, 21 cold; measured 21
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
