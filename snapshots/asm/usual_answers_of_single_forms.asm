; The same program as in answers_of_single_forms.asm, with the usual answers.
; expect line = loaded, lines 11-13: 2 clocks warm, 2 cold; measured 2
; expect line = multiplied, lines 14-16: 9 clocks warm, 9 cold; measured 9
; expect line = multiplied_otherwise, lines 17-20: 19 clocks warm, 19 cold; measured 19
; expect line = jumped, lines 21-24: 4 clocks warm, 4 cold; measured 4
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
