; A label or a `%` before a word with a dot.
        .model  small
size_   equ     <small>
        .code
start:  .if     ax == 5
;= 83f8057501
        nop
;= 90
        .endif
again:  .while  ax
;= eb01
        dec     ax
;= 48
        .endw
;= 0bc075fb
outside:: .repeat
        inc     ax
;= 40
        .until  ax == 9
;= 83f80975fa
        mov     ax, es:[bx]
;= 268b07
        end     start
;---
model_  equ     tiny
%       .model  model_, c
        .code
        org     100h
start:  ret
;= c3
        end     start
;---
; A branch never goes to a register of the floating-point unit, so that `st1` is a label before its line, too.
        .586
        .model  flat
        .code
start:  jz      st1
;= 7402
        jmp     st2
;= eb01
st1:    nop
;= 90
st2:    fadd    st, st(1)
;= d8c1
        ret
;= c3
        end     start
;---
; A procedure within another one does not end the scope of its local labels.
        locals
code    segment
        assume  cs:code
outer   proc    near
@@1:    jz      @@20
;= 7405
        jmp     inner
;= eb00
inner   proc    near
@@1:    loop    @@1
;= e2fe
        ret
;= c3
inner   endp
behind:
@@20:   jmp     @@1
;= ebf7
outer   endp
code    ends
        end
;---
; A jump ahead that the branch before it skips is as long as the branch expects.
code    segment
        assume  cs:code
start:  jz      $+5
;= 7403
        jmp     done
;= e90c00
        jcxz    $+5
;= e303
        jmp     done
;= e90700
        jc      $+4
;= 7202
        jmp     short done
;= eb03
        jmp     done
;= eb01
        nop
;= 90
done:   ret
;= c3
code    ends
        end     start
;---
        .386
        .model  flat
        .code
start:  jnz     $+7
;= 7505
        jmp     done
;= e901000000
        nop
;= 90
done:   ret
;= c3
        end     start
