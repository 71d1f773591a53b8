; The division by which the flaw of the first Pentiums became known: 1.33373906890203759 instead of 1.33382044..., and
; what it leaves of the dividend, 256. Most other quotients are right, and none takes longer.
; with assume = fdiv=flawed
; expect line = assuming fdiv=flawed
; expect stop = return
; expect quotient = 3FF556FEC7254ED1h
; expect single = 3FAAB7F6h
; expect remainder = 4070000000000000h
; expect third = 3FD5555555555555h
.586
.model flat
.data
align 8
dividend  dq 4195835.0
divisor   dq 3145727.0
quotient  dq 0
remainder dq 0
third     dq 0
single    dd 0
three     dw 3
shortest  dw 007Fh
longest   dw 037Fh
.code
start:
    fld dividend
    fdiv divisor
    fst quotient
    fmul divisor
    fsubr dividend
    fstp remainder
    fldcw shortest
    fld dividend
    fdiv divisor
    fstp single
    fldcw longest
    fld1
    fild word ptr three
    fdivp st(1),st(0)
    fstp third
    ret
end start
