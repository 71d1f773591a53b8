; numeric listings with the 8087
        .8087
        .model small
        .data
cw      dw ?
;= 0000
x       dq 2.0
;= 0000000000000040
y       dq -0.5E-2
;= 7b14ae47e17a74bf
t       dt 3.14159
;= 1d7233dc80cf0fc90040
i       dw 5
;= 0500
l       dd 100000
;= a0860100
ll      dq 123456789
;= 15cd5b0700000000
bcd     dt 1234567890
;= 90785634120000000000
one     dd 3F800000r
;= 0000803f
two     dq 4000000000000000r
;= 0000000000000040
half    dd 0.5
;= 0000003f
        .code
a:      finit
;= 9bdbe3
        fldcw cw
;= 9bd92e0000
        fstcw cw
;= 9bd93e0000
        fld x
;= 9bdd060200
        fld [half]
;= 9bd9064000
        fld qword ptr y
;= 9bdd060a00
        fld t
;= 9bdb2e1200
        fild i
;= 9bdf061c00
        fild l
;= 9bdb061e00
        fild ll
;= 9bdf2e2200
        fbld bcd
;= 9bdf262a00
        fadd
;= 9bdec1
        fadd st,st(1)
;= 9bd8c1
        fadd st(1),st
;= 9bdcc1
        fadd x
;= 9bdc060200
        fiadd i
;= 9bde061c00
        fsub
;= 9bdee9
        fsubr
;= 9bdee1
        fmul x
;= 9bdc0e0200
        fimul l
;= 9bda0e1e00
        fdiv
;= 9bdef9
        fdivr half
;= 9bd83e4000
        fsqrt
;= 9bd9fa
        fprem
;= 9bd9f8
        frndint
;= 9bd9fc
        fabs
;= 9bd9e1
        fchs
;= 9bd9e0
        fxtract
;= 9bd9f4
        fscale
;= 9bd9fd
        fpatan
;= 9bd9f3
        fyl2x
;= 9bd9f1
        ftst
;= 9bd9e4
        fxam
;= 9bd9e5
        fcom
;= 9bd8d1
        fcomp x
;= 9bdc1e0200
        fcompp
;= 9bded9
        ficom i
;= 9bde161c00
        fstsw cw
;= 9bdd3e0000
        fnstsw cw
;= dd3e0000
        fwait
;= 9b
        mov ax,cw
;= a10000
        sahf
;= 9e
        fst x
;= 9bdd160200
        fstp y
;= 9bdd1e0a00
        fist i
;= 9bdf161c00
        fistp l
;= 9bdb1e1e00
        fistp ll
;= 9bdf3e2200
        fbstp bcd
;= 9bdf362a00
        fstp st(0)
;= 9bddd8
        ffree st(0)
;= 9bddc0
        fdecstp
;= 9bd9f6
        fincstp
;= 9bd9f7
        fnop
;= d9d0
        fclex
;= 9bdbe2
        fnclex
;= dbe2
        fsave x
;= 9bdd360200
        frstor x
;= 9bdd260200
        fstenv x
;= 9bd9360200
        fldenv x
;= 9bd9260200
        fdisi
;= 9bdbe1
        feni
;= 9bdbe0
        fldlg2
;= 9bd9ec
        fxch
;= 9bd9c9
        fxch st(2)
;= 9bd9ca
        faddp st(1),st
;= 9bdec1
        fsubp st(1),st
;= 9bdee9
        fdivrp st(2),st(0)
;= 9bdef2
        .286
        .287
        fsetpm
;= 9bdbe4
        fstsw ax
;= 9bdfe0
        fnstsw ax
;= dfe0
        fld x
;= dd060200
        finit
;= 9bdbe3
        end a
