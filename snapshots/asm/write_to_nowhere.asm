; A store to unmapped memory in the middle of a block.
; expect stop = fault 14 line 14
; expect stored = 5
; expect later = 0
.586
.model flat
.data
stored dd 0
later  dd 0
.code
start:
    mov eax,5
    mov stored,eax
    mov ds:[80000000h],eax
    mov later,eax
    ret
end start
