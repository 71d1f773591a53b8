; Bodies: labels before `endm`, names with `&` before `macro`, `%` before a repeat.
        .386
        .model  flat
        .code
m       macro
        jmp     l1
        nop
l1:     endm
m1      macro
        local   l1
        jmp     l1
        nop
l1:     endm
        m1
;= eb0190
        m1
;= eb0190
make    macro   ext
ext&put macro   value
        mov     al, value
        endm
        endm
        make    fast
        fastput 7
;= b007
list    equ     <1, 2, 3>
each    macro
        %       for     n, <list>
        db      n
        endm
        endm
        each
;= 010203
lab     macro
again:  rept    2
        nop
        endm
        jmp     again
        endm
        lab
;= 9090ebfc
        rept    2
        local   skip
        jz      skip
        nop
skip:
        endm
;= 740190740190
        irp     r, <eax, ebx>
        local   next
        jmp     next
next:   inc     r
        endm
;= eb0040eb0043
name    equ     <abc>
%       db      '&name', "&name&d", 'name'
;= 616263616263646e616d65
part    equ     <xyzzy>
%       db      '&@SubStr(part,2,3)'
;= 797a7a
quoted  catstr  <!">, <a,b>, <!">
        db      quoted
;= 612c62
arrow   catstr  <'>, <!>>, <'>
        db      arrow
;= 3e
        end
;---
; Addresses and numbers that `=` gives to a name again and again.
        .386
        .model  flat
        .data
table   dd      1, 2, 3
;= 010000000200000003000000
p       =       table
        .code
start:  mov     eax, p
;= a100204000
p       =       p+4
        mov     eax, p
;= a104204000
        rept    3
p       =       p+4
        endm
        mov     ebx, offset p
;= bb10204000
here    =       $
        mov     ebx, here
;= bb0f104000
here    =       $
        mov     ebx, here
;= bb14104000
size1   =       (last-first)/2
        mov     ecx, size1
;= b902000000
        dd      size1
;= 02000000
first:  nop
;= 90
        nop
;= 90
        nop
;= 90
        nop
;= 90
last:   ret
;= c3
        end     start
;---
        .386
        .model  flat
        .code
start:  ret
;= c3
never   =       nowhere+1
;! nowhere | undefined symbol `nowhere`
        end     start
;---
; Empty values of a repeat are its default.
        .model  small
        .data
        for     x:=<5>, <1,,3>
        db      x
        endm
;= 010503
        for     x:req, <1, 2>
        db      x
        endm
;= 0102
        for     x:req, <1, , 2>
;! for | a value of `x` is empty
        db      x
        endm
        end
;---
; Of several `&`, each body around a parameter takes one, and the innermost all that are left.
        .model  small
        .data
words   macro   list
        irp     n, <list>
&&n     dw      ?
w_&&n   db      '&&n'
        endm
        endm
        words   <alpha, beta>
;= 0000616c706861000062657461
pairs   macro   x
        irp     z, <1, 2>
x&&z    db      z
        endm
        endm
        pairs   var
;= 0102
        db      var2 - var1
;= 01
        end
;---
; The mark that joins parameters beside a text macro among the texts of a directive.
digits  macro   text
part    substr  <text>, 2, 2
part    catstr  <0>, &part, <h>
        db      part
        endm
        digits  x1fy
;= 1f
        end
;---
; A quote alone in angle brackets begins no string: names beside it are parameters and local names.
        .386
        .model  flat
        .data
apart   macro   quoted, no
        local   all, one, at
all     equ     <>
at      = 2
:next
one     substr  <quoted>, at, 1
        if      at eq 2
all     catstr  all, <">, one, <">
        else
all     catstr  all, <,">, one, <">
        endif
at      = at + 1
        if      at lt 5
        goto    next
        endif
all     catstr  <dw >, all, <,'no'>, <, no>
        all
        endm
        apart   "abc", 5
;= 6100620063006f6e0500
        end
;---
; What a local name stands for may be another address in the next line; a word without a meaning is no text.
        .386
        .model  flat
        .data
first   db      1
;= 01
second  db      2
;= 02
        .code
pushed  macro   list:vararg
        local   at
        for     one, <list>
at      equ     offset one
        push    at
        endm
        endm
        pushed  first, second
;= 68002040006801204000
text    catstr  <mov >, eax
number  = 3
text    catstr  text, <,>, number
text    catstr  text, nowhere
;! text | `nowhere` is no text macro
;!   = write `<nowhere>` for these characters
part    textequ @SubStr(<abcdef>, 3, 2)
whole   catstr  part, @CatStr(e, f)
whole   catstr  <'>, whole, <'>
        db      whole
;= 63646566
length  sizestr elsewhere
;! length | `elsewhere` is no text macro
;!   = write `<elsewhere>` for these characters
        for     x <1, 2>
;! for | expected a parameter, a comma and values
;!   = write, for example, `irp reg, <eax, ebx, ecx>`
        db      x
        endm
        end
;---
; A text that is read by a directive is that of the text macros in it: a stack of texts keeps their values.
        .386
        .model  flat
stack_  equ     <#>
kept    macro   name:req
stack_  catstr  <name>, <#>, stack_
        endm
again   macro   name:req
        local   at
at      instr   stack_, <#>
name    substr  stack_, 1, at-1
stack_  substr  stack_, at+1
        endm
outer   equ     <1>
inner   equ     <2>
        .data
        kept    outer
        kept    inner
outer   equ     <3>
inner   equ     <4>
        kept    outer
inner   equ     <5>
        db      outer, inner
;= 0305
        again   outer
        again   inner
        db      outer, inner
;= 0304
        again   outer
        db      outer
;= 01
whole   equ     <outer "outer" outer>
length  sizestr whole
        db      length
;= 0b
        end
