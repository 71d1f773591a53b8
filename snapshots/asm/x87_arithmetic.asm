; Floating point: reals and integers of every size, comparison by FNSTSW and SAHF, packed decimal, the control word.
; with runs = 1
; expect stop = return
; expect sum = 4012000000000000h
; expect quotient = 1431655765
; expect down = -3
; expect up = -2
; expect decimal = 0987654321h
; expect greater = 1
; expect status = 3820h
.586
.model flat
.data
one_half    dd 1.5
three       dq 3.0
word_3      dw 3
dword_2     dd 7FFFFFFFh
minus       dd -2.5
sum         dq 0
quotient    dd 0
down        dd 0
up          dd 0
ten         dt 0
decimal     dq 0
decimal_2   dw 0
quad        dq 987654321
greater     dd 0
status      dw 0
control     dw 037Fh
rounding    dw 077Fh
.code
start:
    fninit
    fld one_half
    fadd three
    fstp sum                    ; 4.5
    fild dword_2
    fidiv word_3
    fadd st,st(0)
    fistp quotient              ; 2/3 of 7FFFFFFFh
    fld minus
    fldcw rounding
    fist down
    fldcw control
    fld st(0)
    frndint
    fistp up                    ; -2.5 to the nearest even
    fld one_half
    fcompp
    fnstsw ax
    sahf
    jbe done
    mov greater,1
done:
    fild quad
    fbstp tbyte ptr decimal
    fld1
    fnstsw status
    fstp ten
    ret
end start
