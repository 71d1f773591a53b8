; An exception that is not masked waits: instructions that do not wait pass, the next one that waits raises it.
; with runs = 1
; expect stop = fault 16 line 23
; expect state = 0B084h
; expect passed = 1
; expect kept = 0
; expect line = st(0) 1.0 st(1) 0.0 fpu control 037Bh fpu status B084h divided by 0
.586
.model flat
.data
unmasked dw 037Bh
state   dw 0
passed  dd 0
kept    dd 0
.code
start:
    fldcw unmasked
    fldz
    fld1
    fdiv st,st(1)
    fnstsw state
    mov passed,1
    fstp kept
    ret
end start
