; Programs of 32 bits with one mistake each, most in calls and procedures. The message is at the mistake.
.386
.model flat, stdcall
f1      proto   :dword, :word
f8      proto   :qword
b       equ     <byte ptr>
.data
b1      db      1
w1      dw      2
d1      dd      3
q1      dq      4
.code
f1      proc    a:dword, c1:word
        mov     eax, a
        ret
f1      endp
start:
;---
        invoke  f1, 5
;! invoke | wrong number of arguments for `f1`: expected 2, found 1
;---
        invoke  f1, 5, 6, 7
;! invoke | wrong number of arguments for `f1`: expected 2, found 3
;---
        invoke  f1, 5, d1
;! d1 | the argument has 4 bytes, but the parameter has 2
;!   = pass a part of it, or declare the parameter larger
;---
        invoke  f1, 5, eax
;! eax | the argument has 4 bytes, but the parameter has 2
;!   = pass a part of it, or declare the parameter larger
        invoke  f1, 5, addr b1
;! addr b1 | the argument has 4 bytes, but the parameter has 2
;!   = pass a part of it, or declare the parameter larger
        invoke  f1, q1, 5
;! q1 | the argument has 8 bytes, but the parameter has 4
;!   = pass a part of it, or declare the parameter larger
        invoke  f1, b1, w1
;---
        invoke  f8, eax
;! eax | the argument has 4 bytes, but the parameter has 8
        invoke  f8, q1
;---
        invoke  f2, 5
;! invoke | undefined symbol `f2`
;---
        invoke  f1, zz, 5
;! zz | undefined symbol `zz`
;---
        invoke  f1 5, 6
;! invoke | expected `,` or the end of the line
;---
f2      proto   :dword
f2      proc    a:word
;! f2 | `f2` has other parameters than its declaration above
;!   = make them the same: their bytes are 4 there, 2 here
        ret
f2      endp
;---
f2      proto   :dword
f2      proc    a:dword, b2:dword
;! f2 | `f2` has other parameters than its declaration above
;!   = make them the same: their bytes are 4 there, 4, 4 here
        ret
f2      endp
;---
f2      proto   c :dword, :vararg
f2      proc    c a:dword
;! f2 | `f2` has other parameters than its declaration above
;!   = make them the same: their bytes are 4, more there, 4 here
        ret
f2      endp
;---
f2      proto   :dword
f2      proc    a:ptr byte
        ret
f2      endp
;---
f3      proc
        local   q:dwrd
;! dwrd | `dwrd` is not a type
;!   = write `dword`, `word`, `byte`, `ptr` or a structure name
        ret
f3      endp
;---
f3      proc    a:dword
        local   a:dword
;! a | `a` is already defined in this procedure
        ret
f3      endp
;---
f3      proc    a:dword
        ret
f3      endp
        mov     ecx, a
;! a | undefined symbol `a`
;---
f3      proc    uses ebx, esi a:dword
;! a | expected the end of the statement (unexpected text)
        ret
f3      endp
;---
pt      struct
x       dd      ?
pt      ends
        assume  ebx:ptr pt
        mov     eax, [ebx].q
;! . | undefined field `q`
;---
.if al == w1
;! .if | the memory operand is declared as a word, but `cmp` with `al` takes a byte
;!   = write `byte ptr ...` if that is intended
        nop
.endif
;---
.if d1 == d1
;! .if | `cmp` cannot have two memory operands
;!   = load one of them into a register first
        nop
.endif
;---
.if eax = 5
;! .if | expected `,` or the end of the line
        nop
.endif
;---
.if ax == 1
;! .if | `.if` is never closed
;!   = add `.endif`
        nop
        endif
;! endif | nothing to end: no conditional is open
;---
        fld     5.0
;! 5.0 | real number not allowed here
;!   = define it with `dd`, `dq` or `dt` and load it from there
        fld     eax
;! eax | `fld` cannot access general registers
;!   = use memory: the floating point unit reads and writes memory and its own registers
        fadd    st(1), st(2)
;! 1 | no valid encoding for `fadd` with `st(1)` and `st(2)`
;!   = valid operands: st,st(i) · st(i),st
;---
for     x, <1, 2, 3>
;! for | repeat `FOR` is never closed
;!   = add `endm`
        db      x
;---
mf      macro   a
        exitm   <a>
        endm
        mov     eax, mf(5
;! mf | expected `)` after the arguments (unclosed function call)
;---
u       union
a1      db      ?
b2      dd      ?
u       ends
        .data
v       u       <1, 2>
;! < | too many structure values: expected at most 1, found 2
;---
        mov     eax, addr d1
;! d1 | expected `,` or the end of the line
        mov     eax, sizeof zz
;! zz | undefined symbol `zz` (one of 2 places)
        mov     eax, lengthof zz
;---
P       typedef proto :dword
PP      typedef ptr P
        extern  g1:P, g2:PP
        .data
v1      PP      ?
v2      P       ?
;! P | `P` is a type of procedures, and no data has it
;!   = declare a pointer to it: `typedef ptr` and its name
        .code
        call    g1
        call    g2
        invoke  PP ptr [eax], 5
