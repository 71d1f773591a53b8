; Reading a model-specific register requires privilege.
; with cpl = 3
; expect stop = fault 13 line 13
; expect reached = 1
.586
.model flat
.data
reached dd 0
.code
start:
    mov reached,1
    mov ecx,10h
    rdmsr
    mov reached,2
    ret
end start
