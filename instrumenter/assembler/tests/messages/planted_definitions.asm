; Programs of 16 bits with one mistake in a definition each, as people make them. The message is at the mistake.
.model small
.386
.stack 100h
.data
count   dw      5
flag    db      0
big     dd      70000
name1   db      'abc$'
arr     dw      4 dup(0)
.code
start:  mov     ax, @data
        mov     ds, ax
;---
p1      proc
;! p1 | warning: procedure `p1` is never closed
;!   = add `p1 endp`
        ret
        end     start
;---
p1      proc
        ret
p2      endp
;! p2 | `p2` cannot end: the open procedure is `p1` from line 15
;!   = end `p1` first
;---
p1      endp
;! p1 | nothing to end: no procedure is open
;---
m1      macro   a
;! m1 | macro `m1` is never closed
;!   = add `endm`
        mov     ax, a
        m1      5
;---
        endm
;! endm | unmatched `endm`
;---
if      1
;! if | conditional is never closed
;!   = add `endif`
        nop
;---
        endif
;! endif | nothing to end: no conditional is open
;---
if      1
else
elseif  2
;! elseif | the last alternative of the conditional from line 15 has already begun
endif
;---
m1      macro   a
        mov     ax, a + qq
;! qq | undefined symbol `qq`
        endm
        m1      5
;---
m1      macro   a, b
        mov     a, b
;! b | operands of `mov` must be the same size: `al` has 8 bits, `bx` has 16
;!   = use `bl`, the low part of `ebx`
        endm
        m1      al, bx
;---
m1      macro   a:req
        mov     ax, a
        endm
        m1
;! m1 | macro `m1` requires an argument for `a`
;!   = `m1` takes one argument: `a`
;---
m1      macro   a
l1:     dec     a
;! l1 | `l1` is already defined
;!   = rename one of them; the first definition is on line 16
        jnz     l1
        endm
        m1      ax
        m1      bx
;---
pt      struc
x       dw      ?
y       dw      ?
pt      ends
        .data
p0      pt      <1, 2, 3>
;! < | too many structure values: expected at most 2, found 3
;---
pt      struc
x       dw      ?
pt      ends
        .data
p0      pt      <1>
        .code
        mov     ax, p0.z
;! . | undefined field `z`
;---
pt      struc
x       dw      ?
qt      ends
;! qt | `qt` cannot end: the open structure is `pt` from line 15
;!   = end `pt` first
;---
pt      struc
x       dw      ?
        mov     ax, bx
;! mov | instruction not allowed in a structure
pt      ends
;---
pt      struc
x       db      3 dup(?)
pt      ends
        .data
p0      pt      <'abcdef'>
;! < | value of 6 bytes does not fit in field `x` of 3 bytes
;---
pt      struc
x       dw      ?
pt      ends
pt      struc
x       dw      ?
pt      ends
pt      struc
;! pt | `pt` is already defined with other fields
;!   = rename one of them
y       dd      ?
pt      ends
;---
r1      record  a:2, b:3
r1      record  a:2, b:3
r1      record  a:2, c:4
;! a | `a` is already defined
;!   = rename one of them; the first definition is on line 16
;---
r1      record  a:20, b:20
;! b | record width must be 1 to 32 bits
;---
r1      record  a:2, b:3
        .data
v       r1      <5, 1>
;! < | 5 does not fit in the 2 bits of field `a`
;---
r1      record  a:2, b:3
        mov     al, mask c
;! c | expected a record or a record field
;---
        .data
p0      ptt     <1>
;! ptt | undefined structure `ptt`
;---
        .data
v       db      256
;! 256 | 256 does not fit in 8 bits
w       dw      70000
;! 70000 | 70000 does not fit in 16 bits
x       dw      -1 dup(5)
;! - | negative repeat count
y       dw      4 dup 5
;! 5 | expected `(` after `dup`
;---
n1      equ     5
n1      equ     6
;! n1 | `n1` is already defined
;!   = rename one of them; the first definition is on line 15
;---
n1      equ     n2 + 1
;! n2 | undefined symbol `n2`
        mov     ax, n1
;---
        .model  large
;! large | warning: another memory model than the one above replaces it
;!   = keep one of the two: MASM passes over the second
;---
        .model
;!  | expected a memory model
;!   = write `flat`, or one of tiny, small, compact, medium, large, huge
;---
t2      catstr  <a>, b2
;! t2 | `b2` is no text macro
;!   = write `<b2>` for these characters
t3      substr  <abc>, 5
;! t3 | position 5 is outside the text of 3 characters
;!   = count positions from 1
;---
        include nothere.inc
;! include nothere.inc | cannot include `nothere.inc`: only one text was given, without files to include
;---
        extrn   foo:wrd
;! wrd | `wrd` is not a type
;---
        end     begin
;! begin | undefined symbol `begin`
