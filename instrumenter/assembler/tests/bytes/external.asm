; Names of other modules.
        .model  large
        extrn   far1:far, near1:near, v:word, p:dword, c cname:proc
        extrn   number:abs
        .data
table   dd      far1, p
;= 0000000000000000
        dw      near1, seg v, offset v
;= 000000000000
        .fardata other
x       dw      5
;= 0500
        .code
main    proc
        call    far1
;= 9a00000000
        jmp     far1
;= ea00000000
        call    near1
;= e80000
        call    cname
;= 9a00000000
        mov     ax, v
;= a10000
        mov     ax, seg v
;= b80000
        mov     es, ax
;= 8ec0
        assume  es:other
        mov     ax, other
;= b81410
        mov     es, ax
;= 8ec0
        mov     bx, x
;= 268b1e0000
        les     bx, p
;= c41e0000
        call    p
;= ff1e0000
        call    dword ptr [bx]
;= ff1f
        mov     cx, number
;= b90000
        call    ahead
;= 0ee80100
        ret
;= cb
main    endp
ahead   proc
        ret
;= cb
ahead   endp
        end     main
;---
; Names of other modules seen from a group.
DGROUP  group   DATA
DATA    segment word public 'data'
        extrn   count:byte
own     dw      offset DGROUP:count
;= 0000
DATA    ends
CODE    segment byte public 'code'
        assume  cs:CODE, ds:DGROUP
        extrn   other:near
start:  mov     al, DGROUP:count
;= a00000
        mov     ax, offset DGROUP:count
;= b80000
        mov     bx, offset DGROUP:own
;= bb0200
        inc     DGROUP:count
;= fe060000
        call    other
;= e80000
        ret
;= c3
CODE    ends
        end     start
;---
; Common data, near and far, and in the language of a module.
        .model  small
        comm    near buffer:byte:100, c near counter:word
        comm    far table:word:5
        .code
        mov     al, buffer
;= a00000
        mov     ax, counter
;= a10000
        mov     ax, seg table
;= b80000
        end
;---
; The segment of what another module defines, and common data.
        .model  medium
extrn   table:dword, entry:far
comm    count_:word
comm    nothing:near
;! nothing | common data has 1 to 67108864 bytes
;!   = write its type and count: `name:byte:100`
comm    far pixels:byte:320
        .code
        mov     ax, seg table
;= b80000
        mov     es, ax
;= 8ec0
        mov     ax, seg entry
;= b80000
        mov     dx, seg pixels
;= ba0000
        mov     ax, count_
;= a10000
        mov     bx, offset pixels
;= bb0000
        mov     cx, sizeof pixels
;= b94001
        mov     al, seg table
;= b000
        .data
        dw      seg table, offset table
;= 00000000
        dw      count_
;= 0000
        end
