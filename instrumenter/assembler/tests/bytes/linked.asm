; What a linker or the segments decide: operands that only name a table, bytes of offsets, starts of segments, far
; procedures of the same segment.
        .model small
        .data
table   db      16 dup (0)
;= 00000000000000000000000000000000
        .code
first:  mov     bx, offset table
;= bb0000
        xlat    table
;= d7
        xlat    es:table
;= 26d7
        lods    table
;= ac
        movs    table, es:table
;= 26a4
        mov     al, low (offset table)+1
;= b001
        mov     al, (low offset table)-1
;= b0ff
        mov     al, (high offset table)+1
;= b001
        db      low offset first, high offset first + 1
;= 0001
        mov     dx, (offset last - offset _TEXT + 15) shr 4
;= ba0300
        mov     dx, (offset last - _TEXT + 15)/16
;= ba0300
        mov     ax, offset _TEXT
;= b80000
        mov     ax, @fardata?
;= b81310
back    proc    far
        ret
;= cb
back    endp
        call    back
;= 0ee8fbff
        call    far ptr back
;= 9a1d001010
        call    ahead
;= 0ee80200
        jmp     back
;= ebf0
ahead   proc    far
        ret
;= cb
ahead   endp
last:
        .fardata?
more    dw      ?
;= 0000
        end
;---
; TASM: conditional errors by text.
        ideal
        errifidn <a>, <b>
        errifidn <a>, <a>
;! errifidn | forced error (this condition is true)
        errifidni <a>, <A>, <"the same but for case">
;! errifidni | the same but for case (this condition is true)
        errifdif <a>, <a>
        errifdifi <a>, <A>
        errifdif <a>, <A>
;! errifdif | forced error (this condition is true)
        errif2
        errif1
;! errif1 | forced error (forced by `errif1`)
        end
