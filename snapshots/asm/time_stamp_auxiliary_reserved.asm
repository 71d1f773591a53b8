; The upper half of TSC_AUX is reserved.
; with monitor = rdtscp
; expect stop = fault 13 line 11
.586
.model flat
.code
start:
    mov ecx,0C0000103h
    xor eax,eax
    mov edx,1
    wrmsr
    ret
end start
