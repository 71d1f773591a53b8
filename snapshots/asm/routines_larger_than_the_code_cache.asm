; Routines of 10 KB in all, called in turn from a loop: most of their lines are evicted before the next round, and the
; blocks in them run with lengths that are known in some rounds and not in others. Each routine branches by the round.
; expect line = rounds, lines 36-45: 1537082 clocks warm, 1540851 cold; measured 1537082
.586
.model flat
call_one macro n
    mov eax,ecx
    call r&n
endm
routine macro n
local skip
    align 16
r&n:
    and eax,7
    cmp eax,n and 7
    je short skip
    add ebx,eax
    xor edx,ebx
    imul edx,eax
    add sum,edx
skip:
    lea eax,[eax+ebx]
    rol eax,3
    mov edx,sum
    add edx,eax
    sub ebx,edx
    mov sum,edx
    adc ebx,1
    ret
endm
.data
sum dd 0
.code
start:
    mov ecx,400
    StartTSC rounds
again:
number = 0
rept 128
    call_one %number
number = number+1
endm
    dec ecx
    jnz again
    EndTSC
    ret
number = 0
rept 128
    routine %number
number = number+1
endm
end start
