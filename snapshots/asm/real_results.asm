; Results are shown as what the source says they are: by the type of the definition, or by a real number in it.
; expect line = single = 0.3, was 0.1
; expect line = double = 0.30000000447034836, was 0.5
; expect line = extended = 0.30000000447034836, was 3.25
; expect line = plain = 4.0, was 2.5
; expect line = signed = -3 (FFFDh), was 5
; expect line = not_signed = 65533 (FFFDh), was 5
        .586
        .model  flat
        .data
single  real4   0.1
double  real8   0.5
extended real10 3.25
plain   dd      2.5
signed  sword   5
not_signed dw   5
        .code
start:
        fld     single
        fadd    single
        fadd    single
        fst     single
        fst     double
        fstp    extended
        fld1
        fadd    st(0),st(0)
        fadd    st(0),st(0)
        fstp    plain
        mov     signed,-3
        mov     not_signed,-3
        ret
        end     start
