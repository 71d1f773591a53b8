; The sum of the products of 64 pairs of doubles, in two sums that take turns.
.586
.model flat

.data
        align 8
x       dq 64 dup(1.5)
y       dq 64 dup(2.0)
sum     dq 0.0

.code
start:  mov esi,offset x
        mov edi,offset y
        mov ecx,32
        fldz
        fldz

        StartTSC exchange
next:   fld qword ptr [esi]
        fmul qword ptr [edi]
        fld qword ptr [esi+8]
        fmul qword ptr [edi+8]
        fxch st(1)
        faddp st(2),st
        add esi,16
        add edi,16
        faddp st(2),st
        dec ecx
        jnz next
        EndTSC

        faddp st(1),st
        fstp sum
        ret

end start
