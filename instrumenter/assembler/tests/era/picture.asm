; DeluxePaint-like LBM viewer parts: words in odd places
code    segment para public 'code'
        assume  cs:code, ds:data, es:nothing, ss:stack
main    proc    far
start:  push    ds
;= 1e
        xor     ax, ax
;= 33c0
        push    ax
;= 50
        mov     ax, data
;= b81810
        mov     ds, ax
;= 8ed8
        mov     ax, ds:bufseg
;= a11000
        mov     es, ax
;= 8ec0
        cmp     word ptr form+2, 'MR'
;= 813e0200524d
        jne     bad
;= 754c
        cmp     form.id, 'OF'
;= 813e0000464f
        lea     si, form.body
;= 8d360800
        call    swap32
;= e84000
        mov     cx, (size form_t) / 2
;= b90800
        mov     cl, byte ptr form.len+3
;= 8a0e0700
        mov     bx, word ptr [si + form_t.len]
;= 8b5c04
        mov     ax, [bx].len_w
;= 8b4702
        sub     ax, offset end_of_data - offset form
;= 83e820
        mov     ax, end_of_data - form
;= b82000
        mov     dx, seg end_of_data
;= ba1810
        mov     word ptr es:[di - 2], 0
;= 26c745fe0000
        mov     al, tbl[di - 1]
;= 2e8a856b00
        mov     al, tbl - 1[di]
;= 2e8a856b00
        mov     al, cs:[si + offset tbl]
;= 2e8a846c00
        mov     al, es:tbl2
;= 26a07c00
        jmp     dispatch[bx]
;= ffa71200
        call    dispatch + 2
;= ff161400
        jmp     far_ptr
;= ff2e1800
        call    far_ptr2[bx]
;= ff9f1c00
bad:    ret
;= cb
main    endp
swap32  proc
        xchg    ah, al
;= 86e0
        mov     ch, high 1234h
;= b512
        mov     cl, low 1234h
;= b134
        mov     dh, high (offset tbl2 - offset tbl)
;= b600
        ret
;= c3
swap32  endp
tbl     db      16 dup (?)
;= 00000000000000000000000000000000
tbl2    db      'xyz'
;= 78797a
code    ends
form_t  struc
id      dw      ?
id2     dw      ?
len     dd      ?
body    db      8 dup (' ')
form_t  ends
other   struc
        dw      ?
len_w   dw      ?
other   ends
data    segment para public 'data'
form    form_t  <'OF','MR',0,>
;= 464f524d000000002020202020202020
bufseg  dw      ?
;= 0000
dispatch dw     bad, start, swap32
;= 620000006300
far_ptr dd      main
;= 00001010
far_ptr2 label  dword
        dw      offset main, seg main
;= 00001010
end_of_data label byte
data    ends
stack   segment para stack 'stack'
        dw      100h dup (0)
;= 512 bytes, 86c16dc5
stack   ends
        end     start
