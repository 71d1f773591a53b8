        .model  tiny
        .code
        .186
        org     100h
        .startup
;; keyboard ISR with tables, strings by macros and nested repeats
keyname macro   k, s
        db      k, @@e - $ - 1, s
@@e     label   byte
        endm
dstr    macro   s
        local   a, b
        dw      b - a
a       db      s
b:
        endm
fill    macro   n, v
        if      n
        db      v
        fill    %(n-1), v
        endif
        endm
cond    macro   a, b
        ifidn   <a>, <b>
        exitm
        endif
        dw      a, b
        endm
ops     macro   op, regs
        irp     r, <regs>
        op      r
        endm
        endm
        jmp     main
;= eb22
        dstr    'hello'
;= 050068656c6c6f
        dstr    <'x', 13, 10>
;= 0300780d0a
        fill    3, 55h
;= 555555
        cond    1, 1
        cond    1, 2
;= 01000200
x = 0
        rept    3
y = 0
        rept    2
        db      x*16+y
y = y+1
        endm
x = x+1
        endm
;= 000110112021
        irpc    c, abc
lab_&c  db      '&c'
        endm
;= 616263
        irp     v, <1, 2, <3,4>>
        db      v
        endm
;= 01020304
sym     equ     this byte
sym2    equ     this word
        dw      0
;= 0000
len     equ     $ - sym
main:   ops     push, <ax, bx, cx>
;= 505351
        ops     pop, <cx, bx, ax>
;= 595b58
        mov     al, sym
;= a02201
        mov     ax, sym2
;= a12201
        mov     cx, len
;= b90200
        mov     al, lab_b
;= a01c01
        mov     si, offset lab_a
;= be1b01
        if      ($ - main) gt 100
        .err
        endif
        ifdef   foo
        db      'foo'
        elseifdef bar
        db      'bar'
        else
        nop
;= 90
        endif
        ife     x-3
        inc     ax
;= 40
        endif
        pusha
;= 60
        shr     ax, 4
;= c1e804
        enter   2, 0
;= c8020000
        push    10
;= 6a0a
        imul    bx, ax, 7
;= 6bd807
        popa
;= 61
        mov     word ptr ds:[4*9], offset isr
;= c70624006301
        mov     ds:[4*9+2], cs
;= 8c0e2600
        .if     al == 1 && !(bl & 2)
;= 3c017507f6c3027502
        mov     ah, 2
;= b402
        .endif
        .exit   3
;= b8034ccd21
isr     proc    far uses ax bx ds
        push    cs
;= 50531e0e
        pop     ds
;= 1f
        in      al, 60h
;= e460
        mov     bl, al
;= 8ad8
        and     bx, 7fh
;= 83e37f
        shl     bl, 1
;= d0e3
        call    cs:handlers[bx]
;= 2eff977e01
        mov     al, 20h
;= b020
        out     20h, al
;= e620
        iret
;= 1f5b58cf
isr     endp
handlers dw     128 dup (nul)
;= 256 bytes, 1d6bcac5
nul     proc    near
        ret
;= c3
nul     endp
        even
;= 90
buffer  db      64 dup (?)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        end
