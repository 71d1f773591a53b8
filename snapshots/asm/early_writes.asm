; No address waits for what microcode writes before its last clock: ECX of LOOP, the pointers of string instructions,
; all but the last two registers of POPA, ESP of LEAVE. What is loaded or computed as a result still makes it wait.
; expect line = counted, lines 39-45: 162 clocks warm, 275 cold; measured 162
; expect line = loaded, lines 46-49: 3 clocks warm, 3 cold; measured 3
; expect line = loaded_result, lines 50-54: 5 clocks warm, 5 cold; measured 5
; expect line = stored, lines 55-58: 4 clocks warm, 4 cold; measured 4
; expect line = moved, lines 59-62: 5 clocks warm, 5 cold; measured 5
; expect line = compared, lines 63-66: 6 clocks warm, 6 cold; measured 6
; expect line = repeated, lines 68-71: 17 clocks warm, 17 cold; measured 18, with 1 clock before it: prefix
; expect line = popped, lines 73-76: 6 clocks warm, 45 cold; measured 6
; expect line = popped_last, lines 79-82: 7 clocks warm, 23 cold; measured 7
; expect line = framed, lines 84-89: 16 clocks warm, 16 cold; measured 16
; expect line = again: 20 rounds, 162 clocks in all: 8 in 19 of them, 10 in the other (mispredicted).
; again
; If only LOOP, of which it was measured, writes a register early.
; with assume = early_writes=loop
; expect line = counted, lines 39-45: 162 clocks warm, 275 cold; measured 162
; expect line = loaded, lines 46-49: 4 clocks warm, 4 cold; measured 4
; expect line = loaded_result, lines 50-54: 5 clocks warm, 5 cold; measured 5
; expect line = stored, lines 55-58: 5 clocks warm, 5 cold; measured 5
; expect line = moved, lines 59-62: 6 clocks warm, 6 cold; measured 6
; expect line = compared, lines 63-66: 7 clocks warm, 7 cold; measured 7
; expect line = repeated, lines 68-71: 18 clocks warm, 18 cold; measured 19, with 1 clock before it: prefix
; expect line = popped, lines 73-76: 7 clocks warm, 46 cold; measured 7
; expect line = popped_last, lines 79-82: 7 clocks warm, 23 cold; measured 7
; expect line = framed, lines 84-89: 18 clocks warm, 18 cold; measured 18
; expect line = again: 20 rounds, 162 clocks in all: 8 in 19 of them, 10 in the other (mispredicted).
.586
.model flat
.data
words dd 64 dup(0)
.code
start:
    mov esi,offset words
    mov edi,offset words
    mov ebx,esi
    cld
    mov ecx,20
    StartTSC counted
again:
    mov eax,[esi+ecx*4]
    nop
    nop
    loop again
    EndTSC
    StartTSC loaded
    lodsd
    mov edx,[esi]
    EndTSC
    StartTSC loaded_result
    mov eax,esi
    lodsd
    mov edx,words[eax]
    EndTSC
    StartTSC stored
    stosd
    mov edx,[edi]
    EndTSC
    StartTSC moved
    movsd
    mov edx,[esi]
    EndTSC
    StartTSC compared
    cmpsd
    mov edx,[edi]
    EndTSC
    mov ecx,4
    StartTSC repeated
    rep movsd
    mov edx,[edi+ecx]
    EndTSC
    pushad
    StartTSC popped
    popad
    mov edx,[ebx]
    EndTSC
    push words
    pushad
    StartTSC popped_last
    popad
    mov edx,words[ecx]
    EndTSC
    pop edx
    StartTSC framed
    enter 8,0
    mov [ebp-4],edx
    leave
    push edx
    EndTSC
    pop edx
    ret
end start
