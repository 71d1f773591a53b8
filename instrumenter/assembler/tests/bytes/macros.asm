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
