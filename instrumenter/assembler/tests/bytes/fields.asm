; Fields by their names alone, as up to MASM 5.
parms   struc
        dw      2 dup (?)
startx  dw      ?
starty  dw      ?
color   db      ?
buffer  dd      ?
parms   ends
point   struc
x       dw      ?
y       dw      ?
point   ends
code    segment
        assume  cs:code, ds:code
draw    proc    near
        push    bp
;= 55
        mov     bp, sp
;= 8bec
        mov     ax, [bp+startx]
;= 8b4604
        mov     dx, [bp].starty
;= 8b5606
        mov     al, startx[bp]
;= 8a4604
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     al, color[bp]
;= 8a4608
        mov     bl, [bp+color]
;= 8a5e08
        les     di, [bp+buffer]
;= c47e09
        les     di, buffer[bp]
;= c47e09
        inc     [bp+starty]
;= ff4606
        cmp     [bp+color], 5
;= 807e0805
        mov     [si].x, 0
;= c7040000
        mov     [si+y], 1
;= c744020100
        mov     [bx.x], 2
;= c7070200
        mov     ax, [bx.point.y]
;= 8b4702
        mov     cx, starty
;= b90600
        add     bx, size point
;= 83c304
        mov     ax, [bx+size point].y
;= 8b4706
        mov     ax, size point[bx]
;= 8b4704
        mov     al, type color
;= b001
        mov     ax, [bx].2
;= 8b4702
        lea     si, [bp+starty-startx]
;= 8d7602
        pop     bp
;= 5d
        ret
;= c3
draw    endp
        dw      starty, offset draw
;= 06000000
code    ends
        end
;---
; The name of a field that is used alone cannot become another one.
s       struc
count   dw      ?
s       ends
code    segment
        assume  cs:code, ds:code
        mov     ax, [bx+count]
;= 8b07
count   dw      5
;! count | `count` is the name of a field that line 7 uses alone
;!   = rename one of them, or write the structure before the field
code    ends
        end
;---
; A variable hides a field of its name.
s       struc
count   dw      ?
total   dw      ?
s       ends
code    segment
        assume  cs:code, ds:code
total   dw      5
;= 0500
        mov     ax, total
;= a10000
        mov     ax, [bx].total
;= 8b4702
code    ends
        end
;---
; In IDEAL mode fields belong to their structures.
        ideal
        model   small
        struc   s
a       dw      ?
b       dw      ?
        ends    s
        codeseg
        mov     ax, [(s bx).b]
;= 8b4702
        mov     ax, [bx+s.b]
;= 8b4702
        mov     ax, [(s ptr bx).b]
;= 8b4702
        mov     ax, [bx+b]
;! b | undefined symbol `b`
        end
