; What the sources leave open can be assumed otherwise: two groups in the shadow of an instruction, multiplications of
; ten clocks, and a repeated string instruction that has a start-up without an iteration.
; with assume = shadow_reach=2
; with assume = imul_r32=10
; with assume = rep_zero=startup
; expect line = assuming imul_r32=10, rep_zero=startup, shadow_reach=2
; expect line = V is used in 2 clocks; no order takes less than 4 (uneven pairs).
; expect line = again: 100 rounds, 503 clocks in all: 5 in 99 of them, 8 in the other (mispredicted).
; expect line = multiplied, lines 27-31: 21 clocks warm, 21 cold; measured 21
; expect line = repeated, lines 32-36: 13 clocks warm, 13 cold; measured 13
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
