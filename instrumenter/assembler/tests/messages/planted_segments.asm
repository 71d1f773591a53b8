; Modules with one mistake in segments and in what other modules see. The message is at the mistake.
;---
data    segment
x       dw      5
dta     ends
;! dta | `dta` cannot end: the open segment is `data`
;!   = end `data` first
;---
data    segment
;! data | warning: segment `data` is never closed
;!   = add `data ends`
x       dw      5
code    segment
        assume  cs:code, ds:data
start:  mov     ax, x
code    ends
        end     start
;---
data    segment
x       dw      5
data    ends
code    segment
        assume  cs:code
start:  mov     ax, data
        mov     ds, ax
        mov     ax, x
;! x | no segment register is assumed to hold segment `data`
;!   = write `assume ds:data` where DS holds it, or `es:` before the operand
code    ends
        end     start
;---
code    segment
        assume  cs:code, ds:dta
;! dta | nothing is called `dta`
start:  ret
code    ends
        end     start
;---
data    segment
x       dw      5
data    ends
code    segment
        assume  cs:code ds:data
;! : | expected the end of the statement (unexpected text)
start:  mov     ax, x
;! x | no segment register is assumed to hold segment `data`
;!   = write `assume ds:data` where DS holds it, or `es:` before the operand
code    ends
        end     start
;---
dgroup  group   dat, bss
;! bss | warning: no segment is called `bss`
;!   = it is left out, which some assemblers refuse
dat     segment
x       dw      5
dat     ends
code    segment
        assume  cs:code, ds:dgroup
start:  mov     ax, x
code    ends
        end     start
;---
        public  foo
code    segment
        assume  cs:code
start:  ret
code    ends
        end     start
;---
        extrn   x:word
data    segment
x       dw      5
;! x | `x` is declared on line 3 as one of another module
;!   = drop the `extrn` of `x`, or write `externdef` or `global`, which both modules may have
data    ends
        end
;---
data    segment
x       dw      5
data    ends
        extrn   x:word
;! x | `x` is defined in this module, on line 4
;!   = drop the `extrn` of `x`, or write `externdef` or `global`, which both modules may have
        end
;---
        externdef y:word
data    segment
y       dw      5
data    ends
        public  y, y
        end
;---
c1      segment
        assume  cs:c1
p1      proc    near
        ret
p1      endp
c1      ends
c2      segment
        assume  cs:c2
start:  call    p1
;! p1 | branch target is in another segment
;!   = write `far ptr` before it, or declare its procedure `far`
c2      ends
        end     start
