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
;---
; Constants and fields may stand in lines of their own, and values of structures go on after a comma.
        ideal
        p386
        model   flat
enum    colours {       ; all of them
        red             ; the first
        green = 5

        blue
        }
record  flags {
        high:3 = 2      ; in the upper bits
        low:5
        }
struc   triple
a       db      ?
b       dw      ?
c       dd      ?
ends    triple
        dataseg
x       db      red, green, blue
;= 000506
f       flags   <1, 2>
;= 22
v       triple  <1, 2,
;= 01020003000000
                 3>
w       triple  {b = 5,
;= 01050000000000
                 a = 1}
u       triple  {a = 1, a = 2}
;! { | a field has two values
;!   = give each field one value
        codeseg
start:  mov     al, mask high
;= b0e0
        end     start
