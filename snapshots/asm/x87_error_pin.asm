; With CR0.NE clear an exception of the floating-point unit is for an interrupt controller, and there is none.
; with runs = 1
; expect stop = fault 16 line 21
; expect reached = 1
; expect line = st(0) -1.0 fpu control 037Eh fpu status B881h invalid
.586
.model flat
.data
unmasked dw 037Eh
reached dd 0
.code
start:
    mov eax,cr0
    and al,0DFh
    mov cr0,eax
    fldcw unmasked
    fld1
    fchs
    mov reached,1
    fsqrt                       ; not masked: the operand stays
    wait
    mov reached,2
    ret
end start
