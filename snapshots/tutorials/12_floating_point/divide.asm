; A division, before and beside the work that does not need it.
.586
.model flat

.data
        align 8
metres  dq 400.0
seconds dq 7.0
speed   dq 0.0
total   dd 0
table   dd 32 dup(5)

.code
start:  fld metres
        fld seconds

        StartTSC after
        fdivp st(1),st
        fstp speed
        mov esi,offset table
        mov ecx,8
        xor eax,eax
first:  add eax,[esi]
        add esi,4
        dec ecx
        jnz first
        mov total,eax
        EndTSC

        fld metres
        fld seconds

        StartTSC beside
        fdivp st(1),st
        mov esi,offset table
        mov ecx,8
        xor eax,eax
second: add eax,[esi]
        add esi,4
        dec ecx
        jnz second
        mov total,eax
        fstp speed
        EndTSC

        ret

end start
