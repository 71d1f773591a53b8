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
