; Macros for MASM 5, in whose calls blanks separate arguments.
code    segment
        assume  cs:code
nproc   macro   name, t1, t2, t3, t4, t5, t6, t7, t8
        subttl  name Procedure t1 t2 t3 t4 t5 t6 t7 t8
        public  name
name    proc    near
        endm
        nproc   waits -- Far Call, To KEYWAIT and "more"
        ret
;= c3
waits   endp
        nproc   isnt -- Isn't it, (a) test
        ret
;= c3
isnt    endp
code    ends
        end
;---
; A macro that has the name of a directive of MASM 6 is one for MASM 5, and so are the others.
code    segment
        assume  cs:code
serial  =       0
.if     macro   test, p2
        branch  %serial test
        endm
.endif  macro
        place   %serial
serial  =       serial+1
        endm
place   macro   n
$end&n:
        endm
branch  macro   n, a, cond, b
        ifb     <b>
        or      cond, cond
        jn&a    $end&n
        else
        cmp     a, b
        jn&cond $end&n
        endif
        endm
jneq    macro   t
        jne     t
        endm
start:  .if     <ax eq 5>
;= 83f8057501
        inc     ax
;= 40
        .endif
        .if     <z cx> near
;= 0bc97501
        inc     cx
;= 41
        .endif
        ret
;= c3
code    ends
        end     start
;---
; `$` before all segments is no address in them.
last    =       $
code    segment
        if      last eq $
        db      1
        endif
        if      last ne $
        db      2
;= 02
        endif
code    ends
        end
;---
; A structured condition that jumps over a jump ahead, which has three bytes.
code    segment
        assume  cs:code
unless  macro   cond, label
        j&cond  $+5
        jmp     label
        endm
start:  unless  z done
;= 7403e90600
        unless  <c>, done
;= 7203e90100
        nop
;= 90
done:   ret
;= c3
code    ends
        end     start
