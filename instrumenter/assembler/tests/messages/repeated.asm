; A problem of a macro's body is reported once, with the calls of the first.
;---
store   macro   value
        mov     al, value
;! value | 300 does not fit in 8 bits (and in 4 more calls)
;! value | 400 does not fit in 8 bits
        mov     bl, 500
;! 500 | 500 does not fit in 8 bits (and in 5 more calls)
        endm
        store   300
        store   300
        store   400
        rept    3
        store   300
        endm
;---
        rept    5
        mov     al, 300
;! 300 | 300 does not fit in 8 bits (and in 4 more passes)
        endm
;---
unknown macro   name
        mov     eax, name
;! name | undefined symbol `first` (one of 2 places)
;! name | undefined symbol `second`
        endm
        unknown first
        unknown first
        unknown second
;---
; Names that a repeat makes: two of them stand for all.
offsets macro   count
        n = 0
        rept    count
        pointer %n
        n = n + 1
        endm
        endm
pointer macro   number
        dd      row&number
;! row&number | undefined symbol `row0`
;! row&number | undefined symbol `row1` (and in 5 more passes)
        endm
        offsets 7
;---
; One `assume` that is missing, and a field that no structure has.
        .model  small
data    segment para public 'data'
one     dw      1
two     dw      2
data    ends
point   struc
x       dw      ?
point   ends
code    segment para public 'code'
        assume  cs:code
        mov     ax, one
;! one | no segment register is assumed to hold segment `data` (one of 3 places)
;!   = write `assume ds:data` where DS holds it, or `es:` before the operand
        mov     bx, two
        add     ax, one
        mov     ax, [bx].point.y
;! . | undefined field `y` (one of 2 places)
        mov     cx, [si].point.y
code    ends
        end
;---
