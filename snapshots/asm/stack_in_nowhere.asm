; Endless recursion exhausts the stack; the fault reports where.
; expect stop = fault 14 line 12
; with runs = 1
.586
.model flat
.data
depth dd 0
.code
start:
deeper:
    inc depth
    call deeper
end start
