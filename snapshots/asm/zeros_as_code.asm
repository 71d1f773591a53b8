; Zeros are instructions too: a jump to them runs on to the end of memory, and the fault reports the line of the jump.
; expect stop = fault 14 line 9
.586
.model flat
.data
zeros dd 4 dup (0)
.code
    mov eax,offset zeros
    jmp eax
