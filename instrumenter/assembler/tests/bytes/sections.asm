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
;= 6667c70500800b0005000000
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
