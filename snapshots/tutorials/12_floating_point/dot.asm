; The sum of the products of 64 pairs of doubles.
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
        mov ecx,64
        fldz

        StartTSC dot
next:   fld qword ptr [esi]
        fmul qword ptr [edi]
        add esi,8
        add edi,8
        faddp st(1),st
        dec ecx
        jnz next
        EndTSC

        fstp sum
        ret

end start
