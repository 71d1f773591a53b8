; HLT at privilege level 0 ends a run; earlier stores remain.
; expect stop = halt
; expect stored = 7
.586
.model flat
.data
stored dd 0
.code
start:
    mov stored,7
    hlt
    mov stored,8
end start
