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
;---
; Blanks separate the arguments of a call whose words have a `%`, all but the first. Offsets before a segment have
; distances.
        .model  small
        .code
number  =       0
level   =       1
next    macro   class, level
        n&class&level = number
        number = number + 1
        endm
jump    macro   code, number
        ifnb    <code>
        code    l&number
        else
        jmp     l&number
        endif
        endm
l0:     next    while, %level
        next    while %level
        dw      nwhile1
;= 0100
        next    else %level
        next    else %(level+1)
        dw      nelse1, nelse2
;= 02000300
        jump    , %level-1
;= ebf8
        jump    jmp %level-1
;= ebf6
base    =       $ - 2000h
        nop
;= 90
        dw      $ - base, base - $
;= 0120ffdf
        dw      ($ - base) / 2
;= 0210
        end
