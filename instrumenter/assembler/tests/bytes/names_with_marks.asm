; Macros, structures and fields are known everywhere, also if their names begin as those of local labels do.
        locals
        .model  small
        .code
@@add   macro   what
        add     ax, what
        endm
first   proc
@@frame struc
@@x     dw      ?
@@y     dw      ?
@@frame ends
        mov     ax, [bp].@@y
;= 8b4602
        @@add   5
;= 83c005
@@1:    jmp     @@1
;= ebfe
first   endp
second  proc
        mov     ax, [bp].@@y
;= 8b4602
        mov     cx, size @@frame
;= b90400
        @@add   bx
;= 03c3
@@1:    jmp     @@1
;= ebfe
second  endp
; A parameter without an argument is not defined.
save    macro   one, two, three
        irp     r, <&one, &two, &three>
        ifndef  r
        exitm
        endif
        push    r
        endm
        endm
        save    ax, bx
;= 5053
back    macro   one, two
        irp     r, <&two, &one>
        ifdef   r
        pop     r
        endif
        endm
        endm
        back    ax
;= 58
        end
;---
; Blanks alone may separate the values of a structure, as where a line goes on without a comma.
        ideal
        model   large
        struc   device
init    dd      ?
play    dd      ?
stop    dd      ?
name    db      4 dup (?)
        ends
        codeseg
proc    begin   far
        ret
;= cb
endp
proc    finish  far
        ret
;= cb
endp
card    device  < \
;= 00001010000010100100101061626300
        far ptr begin,\
        far ptr begin\
        far ptr finish,\
        'abc'\
        >
other   device  <1 2 3>
;= 01000000020000000300000000000000
third   device  <1, offset begin + 2>
;= 01000000020000000000000000000000
        end
