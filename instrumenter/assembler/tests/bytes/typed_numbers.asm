; Numbers with a type: memory at such an offset has the type, and a number alone is only a number.
place   =       4
count   =       word ptr place
place   =       place + 2
flag    =       byte ptr place
last    =       count + 4
code    segment
        assume  cs:code, ds:code
start:  inc     [si].count
;= ff4404
        inc     [si].flag
;= fe4406
        inc     count[bx]
;= ff4704
        mov     [si+flag], 5
;= c6440605
        cmp     es:last[di], 0
;= 26837d0800
        mov     al, count
;= b004
        mov     cx, count + flag
;= b90a00
        shl     ax, cl
;= d3e0
        dw      count, last
;= 04000800
        db      flag, type count, type flag
;= 060201
        db      flag / 2 dup (1)
;= 010101
if last ne 8
        .err
endif
count   =       9
        mov     [si+count], dx
;= 895409
        db      count
;= 09
code    ends
        end     start
;---
; The same as texts, also behind a point.
count   equ     word ptr 4
flag    equ     byte ptr (5) + 1
next    equ     dword ptr (5) + 3
code    segment
        assume  cs:code, ds:code
start:  inc     [bp].count
;= ff4604
        mov     es:[bx].flag, 1
;= 26c6470601
        les     bx, [bx].next
;= c45f08
        mov     ax, word ptr es:[di].next + 2
;= 268b450a
        dec     count[si]
;= ff4c04
        mov     bx, [bp].word ptr 6
;= 8b5e06
code    ends
        end     start
;---
; A type before an operand that has one already, and the high part of such an operand.
        ideal
        model   tiny
        p386
        codeseg
value   equ     word bp+4
mark    equ     byte bp+8
start:  inc     [value]
;= ff4604
        mov     [dword value], eax
;= 66894604
        mov     al, [byte low value]
;= 8a4604
        mov     [byte high value], 0
;= c6460500
        push    [word mark]
;= ff7608
        mov     [word value+2], 0
;= c746060000
        mov     dx, [word high dword bp+4]
;= 8b5606
        ends
        end     start
