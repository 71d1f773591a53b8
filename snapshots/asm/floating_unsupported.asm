; A real of 80 bits with the exponent of a usual number, but without its integer bit, is no number: the sum of it with
; itself is invalid, and no operation is counted, however often the loop has run. The additions of 1.0 are counted.
; expect line = FLOPS 6000 warm, 6000 cold; measured 6000
; expect stop = return
; expect r = 0FFF8000000000000h
; expect usual = 2
.586
.model flat
.data
odd     dt 40004000000000000000r
one     dq 1.0
r       dq 0
sum     dq 0
usual   dd 0
.code
start:
    StartProfile EV_FLOPS,EV_INSTRUCTIONS_EXECUTED,counted
    mov ecx,6000
next:
    fld odd
    fadd st,st(0)
    fstp r
    fld one
    fadd one
    fstp sum
    dec ecx
    jnz next
    EndProfile
    fld sum
    fistp usual
    ret
end start
