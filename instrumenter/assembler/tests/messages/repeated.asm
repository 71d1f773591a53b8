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
