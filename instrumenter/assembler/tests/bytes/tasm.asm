; TASM: forms of operands, operations on flags, jumps that grow.
        ideal
        model   small
        p386
        dataseg
v       dw      5
;= 0500
f       db      0
;= 00
        codeseg
proc    go
        mov     ax, [word far es:v]
;= 26a10000
        mov     ax, [word es:bx]
;= 268b07
        push    large 0
;= 666a00
        push    small 5
;= 680500
        push    large offset v
;= 666800000000
        setflag [f], 4
;= 800e020004
        maskflag [f], not 4
;= 80260200fb
        testflag [f], 4
;= f606020004
        flipflag [f], 4
;= 8036020004
        ret
;= c3
endp    go
proc    pascal method
        arg     this:word
        mov     ax, [this]
;= 558bec8b4604
        ret
;= c9c20200
endp    method
        jumps
back:
        db      200 dup (90h)
;= 200 bytes, 899f7765
        loop    back
;= e202eb03e931ff
        jcxz    back
;= e302eb03e92aff
        jcxz    ahead
;= e302eb03e9ca00
        loop    near_by
;= e200
near_by:
        db      200 dup (90h)
;= 200 bytes, 899f7765
ahead:  nojumps
        loop    ahead
;= e2fe
        end
;---
; Labels with @@: those of a procedure reach across its other labels.
        locals
        .model  small
        .code
one     proc
        jmp     @@out
;= eb03
inner:  nop
;= 90
        jz      inner
;= 74fd
@@out:  ret
;= c3
one     endp
two     proc
        jmp     @@out
;= eb00
@@out:  ret
;= c3
two     endp
        end
;---
        .model  small
        .386
        .data
d       dw      ?
;= 0000
        .code
m       proc    pascal near uses si, a:dataptr, b:codeptr
        mov     si, a
;= 558bec568b7606
        ret
;= 5ec9c20400
m       endp
        extrn   c other:proc, far1:far, data1:dword:4
        call    other
;= e80000
        call    far1
;= 9a00000000
        mov     eax, data1
;= 66a10000
        end
;---
; Several operands, with commas.
        .model  small
        .386
        .data
v       dw      5
;= 0500
        .code
start:  push    ax, bx, [v], 5
;= 5053ff3600006a05
        pop     [v], bx
;= 8f0600005b
        push    eax ds si
;= 66501e56
        push    ax,
;= 50
;! ax | expected another operand after the last comma
        end     start
;---
; Lists that go on behind a backslash with a remark, code styles of the model, and TASM's names of counting loops.
        .286
        .model  small, windows pascal
;! windows | warning: the code that `windows` adds to procedures is not written: they have plain frames
;!   = write their first and last instructions yourself
        .code
entry   proc    far
        arg     one:word, \The first of the operands
                two:dword
        mov     ax, one
;= 558bec8b460a
        les     di, two
;= c47e06
        ret
;= c9ca0600
entry   endp
        .386
again:  loopde  again
;= 67e1fd
        loopwnz again
;= e0fb
        .data
list    db      1, \ one
;= 01025c03
                2, '\', 3
        end
;---
; Unknown values may stand in parentheses.
        .model  small
        .data
a       dw      (?)
;= 0000
b       db      2 dup ((?)), (1), (1+1)
;= 00000102
s       struc
x       dw      (?)
s       ends
v       s       <>
;= 0000
        end
;---
; A group may be named behind its keyword outside IDEAL mode too, and `nothing` may begin a list.
        .386
_data   segment para public use16 'data'
_data   ends
_bss    segment para public use16 'bss'
x       dw      ?
;= 0000
_bss    ends
        group   dgroup  _data, _bss
        group
;! group | `group` cannot start a statement
_text   segment para public use16 'code'
        assume  ds:dgroup, es:_bss
        assume  nothing, cs:_text, ds:dgroup
        mov     x, 5
;= c70600000500
        mov     es:x, 5
;= 26c70600000500
_text   ends
        end
;---
; A source that redefines the directives of segments, and calls macros whose names begin with a percent sign.
opened  =       0
.shut   macro
        if      opened
        %shut
        purge   %shut
        endif
opened  =       0
        endm
.code   macro
        .shut
_text   segment para public 'code'
        assume  cs:_text
%shut   macro
_text   ends
        endm
opened  =       1
        endm
.data?  macro
        .shut
_bss    segment para public 'bss'
%shut   macro
_bss    ends
        endm
opened  =       1
        endm
end     macro   first
        .shut
        purge   end
        end     first
        endm
        .data?
total   dw      ?
;= 0000
        .code
start:  mov     cs:total, 5
;= 2ec70600000500
        mov     ax, offset total
;= b80000
        end     start
