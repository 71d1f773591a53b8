; A vector times a matrix of three rows: row by row, and by columns with FXCH.
; Row by row each sum waits 2 clocks for its product and for the sum before, and the store 3: 17 clocks, three times.
; By columns a load, and a multiplication that begins in the next clock, take 2 for each of nine products; six additions
; follow without a wait, the stores take 2 each, and the first of them waits a clock for its sum: 31. One clock less is
; the bound.
; expect stop = return
; expect line = 49 fstp dword ptr [r2] - waited 3: st(0) of faddp is not ready; fstp takes 2 and never pairs
; expect line = No order takes less than 30 clocks (fld, fmul and others pair with fxch at most).
; expect line = 14 faddp st(1),st(0) - faddp pairs only with fxch
; expect line = 20 fmul m22 fxch st(2)
; expect line = 23 faddp st(1),st(0) fxch st(2)
; expect line = 25 fstp r0 - waited 1: st(0) of faddp is not ready; fstp takes 2 and never pairs
; expect line = 29 fstp r2 - fstp takes 2 and never pairs
; expect r0 = 41600000h
; expect r1 = 42000000h
; expect r2 = 42480000h
.586
.model flat
.data
align 8
x dd 1.0
y dd 2.0
z dd 3.0
m dd 1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0
r0 dd 0
r1 dd 0
r2 dd 0
m00 textequ <m>
m01 textequ <m+4>
m02 textequ <m+8>
m10 textequ <m+12>
m11 textequ <m+16>
m12 textequ <m+20>
m20 textequ <m+24>
m21 textequ <m+28>
m22 textequ <m+32>
row macro a,b,c,result
    fld x
    fmul a
    fld y
    fmul b
    fld z
    fmul c
    faddp st(1),st(0)
    faddp st(1),st(0)
    fstp result
endm
.code
start:
    StartTSC rows
    row m00,m01,m02,r0
    row m10,m11,m12,r1
    row m20,m21,m22,r2
    EndTSC
    StartTSC columns
    fld x
    fmul m00
    fld x
    fmul m10
    fld x
    fmul m20
    fld y
    fmul m01
    fld y
    fmul m11
    fld y
    fmul m21
    fxch st(2)
    faddp st(5),st(0)
    faddp st(3),st(0)
    faddp st(1),st(0)
    fld z
    fmul m02
    fld z
    fmul m12
    fld z
    fmul m22
    fxch st(2)
    faddp st(5),st(0)
    faddp st(3),st(0)
    faddp st(1),st(0)
    fxch st(2)
    fstp r0
    fstp r1
    fstp r2
    EndTSC
    ret
end start
