; Enumerations, and local names that begin otherwise.
        .model  small
colors  enum    red, green, blue = 5, white
big     enum    {small1, large1 = 1000}
        .data
c1      colors  blue
;= 05
c2      big     large1
;= e803
        db      white, green
;= 0601
        .code
        locals  __
one     proc
__again: dec    ax
;= 48
inner:  jnz     __again
;= 75fd
        jmp     __out
;= eb00
__out:  ret
;= c3
one     endp
two     proc
__again: dec    ax
;= 48
        jnz     __again
;= 75fd
        ret
;= c3
two     endp
        mov     al, white
;= b006
        end
;---
        ideal
        model   small
        enum    state idle, busy, done
        dataseg
s       state   busy
;= 01
        codeseg
start:  cmp     [s], done
;= 803e000002
        mov     al, idle
;= b000
        end     start
