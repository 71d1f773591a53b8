; The same program as in answers_of_single_forms.asm, with the usual answers.
; expect line = loaded, lines 16-18: 2 clocks warm, 2 cold; measured 2
; expect line = multiplied, lines 19-21: 9 clocks warm, 9 cold; measured 9
; expect line = multiplied_otherwise, lines 22-25: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 26-29: 4 clocks warm, 4 cold; measured 4
; expect line = functions, lines 30-36: 71 clocks warm, 151 cold
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
