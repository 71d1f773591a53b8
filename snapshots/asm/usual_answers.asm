; The same program as in assumptions.asm, with the usual answers.
; expect line = checksum, lines 14-21: 404 clocks warm, 579 cold; measured 405, with 1 clock before it: prefix
; expect line = multiplied, lines 22-26: 20 clocks warm, 20 cold; measured 20
; expect line = repeated, lines 27-31: 9 clocks warm, 9 cold; measured 9
; expect line = No order takes less than 9 clocks (cld and rep stosd never pair).
.586
.model flat
.data
words dw 128 dup(0)
.code
start:
    mov esi,offset words
    mov ecx,100
    StartTSC checksum
again:
    add ax,[esi]
    adc eax,0
    add esi,2
    dec ecx
    jnz again
    EndTSC
    StartTSC multiplied
    mul edx
    imul eax,eax,3
    mov ebx,eax
    EndTSC
    StartTSC repeated
    cld
    rep stosd
    mov eax,1
    EndTSC
    ret
end start
