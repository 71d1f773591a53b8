        .model  large, c
        .386
        option  scoped, proc:export
        include_done = 0
assert  macro   cond:req, msg:=<"assertion failed">
        local   ok
        .if     !(cond)
        mov     dx, 0
        jmp     ok
        .endif
ok:
        endm
swap    macro   a, b
    ifidni <a>, <b>
        exitm
    endif
        push    a
        push    b
        pop     a
        pop     b
        endm
times_  macro   n:req, body:vararg
        repeat  n
        body
        endm
        endm
log2    macro   value
        local   n, v
n       =       0
v       =       value
        while   v gt 1
v       =       v / 2
n       =       n + 1
        endm
        exitm   %n
        endm
pushall macro   regs:vararg
        local   list
list    textequ <>
        for     r, <regs>
list    catstr  <r>, <,>, list
        push    r
        endm
        exitm   list
        endm
popall  macro   list:vararg
        for     r, <list>
        ifnb    <r>
        pop     r
        endif
        endm
        endm
        .data
buffer  byte    1 shl log2(1000) dup (?)
;= 512 bytes, 86c16dc5
fptr    real4   1.5, -2.0e-3, 1.
;= 0000c03f6f1203bb0000803f
quads   qword   1122334455667788h
;= 8877665544332211
nested  word    2 dup (3 dup (1, 2), 5)
;= 01000200010002000100020005000100020001000200010002000500
str1    byte    'single ''quoted''', "double ""quoted""", 0
;= 73696e676c65202771756f74656427646f75626c65202271756f7465642200
        .fardata?
huge1   byte    100 dup (?)
;= 100 bytes, dc4ec4e5
        .const
ro      dword   far ptr buffer, near ptr ro
;= 00001f1050021f10
        .code
work    proc    far c public uses si di, dest:far ptr byte, count:sword, val:byte
        local   i:word, arr[8]:word, pt:dword
        assert  cx != 0
;= 558bec83ec1656570bc97505ba0000eb00
        swap    ax, ax
        swap    bx, dx
;= 53525b5a
        times_  3, nop
;= 909090
        les     di, dest
;= c47e06
        mov     cx, count
;= 8b4e0a
        mov     al, val
;= 8a460c
        .if     count > 0 && al >= 'a' && al <= 'z'
;= 837e0a007e0c3c6172083c7a7704
        rep     stosb
;= f3aa
        .elseif !al
;= eb060ac07502
        xor     ax, ax
;= 33c0
        .endif
        mov     i, 0
;= c746fe0000
        .repeat
        mov     si, i
;= 8b76fe
        shl     si, 1
;= d1e6
        mov     arr[si], bx
;= 895aee
        inc     i
;= ff46fe
        .untilcxz ax == bx
;= 3bc3e0f1
        mov     word ptr pt, offset buffer
;= c746ea0000
        mov     word ptr pt+2, seg buffer
;= c746ec1f10
        mov     dx, @code
;= ba1010
        mov     dx, seg huge1
;= ba1810
        mov     ax, word ptr [bp+6]
;= 8b4606
        mov     ax, high 1234h
;= b81200
        mov     ax, lowword 12345678h
;= b87856
        mov     cx, lengthof arr
;= b90800
        mov     cx, sizeof arr
;= b91000
        mov     eax, dword ptr quads[4]
;= 66a11002
        mov     ax, @wordsize
;= b80200
        mov     ax, @datasize
;= b80100
        ret
;= 5f5ec9cb
work    endp
        popall  pushall(ax, bx, cx)
;= 505351595b58
        end
