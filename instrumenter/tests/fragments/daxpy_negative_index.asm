; Y = Y - A * X with an index that counts up to zero
L1:     FLD     QWORD PTR [ESI+8*EAX]
        FMUL    ST,ST(1)
        FSUBR   QWORD PTR [EDI+8*EAX]
        FSTP    QWORD PTR [EDI+8*EAX]
        INC     EAX
        JNZ     L1
;; setup
        mov     esi,offset x + 2000
        mov     edi,offset y + 2000
        mov     eax,-250
        fld1
;; data
x       dq 256 dup(1.0)
        dd 8 dup(0)
y       dq 256 dup(1.0)
