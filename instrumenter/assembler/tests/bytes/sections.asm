; A name with a dot and a dollar sign, saved contexts, `label` without a type.
        .386
        option  dotname
.text$01 segment dword 'CODE' use32
start:  nop
;= 90
mark    label
        jmp     mark
;= ebfe
.text$01 ends
        end     start
;---
code    segment
        assume  cs:code, ds:code
x       db      1
;= 01
        pushcontext assumes
        assume  ds:nothing, es:code
        mov     al, x
;= 26a00000
        popcontext assumes
        mov     al, x
;= a00000
        mov     dword ptr ds:[0B8000h], 5
;= 6766c70500800b0005000000
        cmp     [bx], 1234h
;= 813f3412
        mov     [bx], 12h
;! [bx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
code    ends
        end
;---
; Structure values in braces.
        .386
        .model  flat
vec     struct
x       dd      ?
y       dd      ?
vec     ends
box     struct
low     vec     <>
corner  vec     <5, 6>
cells   db      4 dup (?)
box     ends
        .data
a       vec     {1, 2}
;= 0100000002000000
b       box     {{1, 2}, {3}, {1, 2, 3}}
;= 0100000002000000030000000000000001020300
c       box     <<1, 2>, <3, 4>, <7, 8>>
;= 0100000002000000030000000400000007080000
d       vec     2 dup ({9, 10})
;= 090000000a000000090000000a000000
        end
;---
; An origin may move back: what follows replaces what was there, and room without a value leaves it alone.
        .386
        .model  flat
        .data
table   db      10 dup (5)
;= 05050505050505050505
        org     3
        db      7
;= 07
after   label   byte
        org     table + 1
second  db      ?
;= +1
words   dw      4 dup (?)
;= +8
        org     table + 20
more    db      1
;= 01
        org     -1
;! - | the origin -1 is outside the segment
;!   = an origin is a distance from the start of the segment
        .code
start:  mov     eax, 1
;= b801000000
        jz      distant
;= 0f848c000000
        org     0
        nop
;= 90
        db      150 dup (90h)
;= 150 bytes, 1335769d
distant:
        mov     al, after
;= a004204000
        mov     al, second
;= a001204000
        mov     ax, words
;= 66a102204000
        mov     al, more
;= a014204000
        end     start
;---
        .model  small
        .stack  100h
        .data
        org     10h
v       dw      5
;= 0500
        org     0
w       dw      6
;= 0600
        .code
start:  mov     ax, w
;= a10000
        org     $ + 4
        mov     ax, v
;= a11000
here    label   near
        org     here - 2
        nop
;= 90
        end     start
