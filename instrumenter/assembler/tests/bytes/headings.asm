; The operand of a title, a message or an include is text: a word in it that elsewhere defines a name defines none.
        title   Macro package, part 2
        subttl  Segment layout
        subttl  struc - what the parts are
        subttl  Proc by proc
        subttl  label names and record fields
        subtitle group and ends
        subttl  equ of all kinds
        subttl  = constants =
        subttl  : notes :
        title   db, dw and the like
        subttl  db here
        %out    Macro pass
code    segment
        assume  cs:code
frame   macro
        subttl  macro of the second kind
        nop
        endm
        frame
;= 90
        ifdef   macro
        hlt
        endif
        ret
;= c3
code    ends
        end
;---
; Text that can only be data stays data.
code    segment
        assume  cs:code
title   db      'MAZE', 0
;= 4d415a4500
subttl  dw      4, 5
;= 04000500
subtitle dw     offset title
;= 0000
        mov     dx, offset title
;= ba0000
title:  nop
;! title | `title` is already defined
;!   = rename one of them; the first definition is on line 4
code    ends
        end
;---
; `echo` is a directive of MASM 6 alone: in an older program it names a procedure.
code    segment
        assume  cs:code
echo    proc    near
        ret
;= c3
echo    endp
        call    echo
;= e8fcff
        echo    proc is a word of a message
code    ends
        end
