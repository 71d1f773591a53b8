; Transcendental functions on values whose results are known; a loop that sums sines and cosines.
; with runs = 1
; expect stop = return
; expect angle = 45000000
; expect power = 3
; expect root = 14142136
; expect identity = 100000000
; expect line = fpu status 0020h inexact
.586
.model flat
.data
million     dd 1000000
ten_million dd 10000000
degrees     dd 180
eight       dd 8
two         dd 2
hundred     dd 100
angle       dd 0
power       dd 0
root        dd 0
identity    dd 0
.code
start:
    fld1
    fld1
    fpatan                      ; pi/4
    fimul degrees
    fldpi
    fdivp st(1),st
    fimul million
    fistp angle                 ; 45 degrees
    fld1
    fild eight
    fyl2x
    fistp power
    fild two
    fsqrt
    fimul ten_million
    fistp root
    fldz                        ; the sum of squares of sine and cosine for 1 to 100
    mov ecx,100
    fld1
again:
    fld st(0)
    fsincos
    fmul st,st(0)
    fxch
    fmul st,st(0)
    faddp
    faddp st(2),st
    fld1
    faddp
    dec ecx
    jnz again
    fstp st(0)
    fimul million
    fistp identity
    ret
end start
