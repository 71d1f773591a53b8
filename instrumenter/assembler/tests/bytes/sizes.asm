; What SIZE and LENGTH measure: in MASM mode the first value of a definition, as the manuals of MASM 5 and 6 say; SIZEOF
; and LENGTHOF measure all of it.
        .model  small
        .data
msg     db      'Hello'
;= 48656c6c6f
array   dw      10 dup (4 dup (1),0)
;= 100 bytes, ae988425
numbers dd      1,2,3,4
;= 01000000020000000300000004000000
name_   db      20 dup (' '),'$'
;= 202020202020202020202020202020202020202024
held    struc
        title_  db 20 dup (?)
        pair    dw 1,2
        text    db 'abc'
held    ends
one     held    <>
;= 000000000000000000000000000000000000000001000200616263
many    held    3 dup (<>)
;= 000000000000000000000000000000000000000001000200616263000000000000000000000000000000000000000001000200616263000000000000000000000000000000000000000001000200616263
extrn   far_off:word:10
comm    shared:byte:100
        .code
        dw      length msg, length array, length numbers, length name_
;= 01000a0001001400
        dw      size msg, size array, size numbers, size name_
;= 0100140004001400
        dw      lengthof msg, lengthof array, lengthof numbers, lengthof name_
;= 0500320004001500
        dw      sizeof msg, sizeof array, sizeof numbers, sizeof name_
;= 0500640010001500
        dw      length held.title_, size held.title_, lengthof held.pair, sizeof held.pair
;= 1400140002000400
        dw      length held.pair, size held.pair, sizeof one.text, size one.text
;= 0100020003000100
        dw      size one, length one, size many, length many, sizeof many, lengthof many
;= 1b0001005100030051000300
        dw      sizeof far_off, lengthof far_off, sizeof shared
;= 14000a006400
        dw      size here, type here
;= 02ff02ff
here:   mov     cx, length name_ - 1
;= b91300
buffers proc    c
        local   all[20]:byte, few[3]:word
        mov     cx, size all
;= 558bec83ec1ab91400
        mov     cx, length few
;= b90300
        mov     cx, sizeof few
;= b90600
        ret
;= 8be55dc3
buffers endp
        end
;---
        ideal
        model   small
        dataseg
msg     db      'Hello'
;= 48656c6c6f
array   dw      10 dup (4 dup (1),0)
;= 100 bytes, ae988425
        codeseg
        dw      size msg, size array, length msg, length array
;= 0500640001000a00
        end
;---
; Records: as types, and as fields of structures.
        .model  small
        .386
colour  record  blink:1, back:3, bright:1, fore:3=7
wide    record  a:4, b:12=5
cell    struc
        letter  db 'x'
        look    colour <>
        more    wide <1>
cell    ends
        .data
c1      cell    <>
;= 78070510
c2      cell    <'y',<1,2,1,3>,<2,3>>
;= 79ab0320
c3      cell    <,{1},>
;= 78870510
c4      cell    2 dup (<'z',<,,1>>)
;= 7a0f05107a0f0510
extrn   seen:wide
        .code
        mov     al, colour ptr [bx]
;= 8a07
        mov     ax, wide ptr [bx]
;= 8b07
        mov     ax, seen
;= a10000
        mov     cx, size wide
;= b90200
        mov     cx, sizeof colour
;= b90100
        mov     cx, type wide
;= b90200
        mov     al, c1.look
;= a00100
        and     al, not mask back
;= 248f
        mov     ax, wide
;! wide | undefined symbol `wide`
drawn   proc    c look:wide
        local   own:colour
        mov     ax, look
;= 558bec83ec028b4604
        mov     al, own
;= 8a46ff
        ret
;= c9c3
drawn   endp
        end
;---
; A type in front of a name that has one.
        .model  large
        .code
from    equ     dword ptr [bp+6]
to      equ     <dword ptr [bp+10]>
copy    proc
        lds     si, from
;= c57606
        mov     ax, word ptr from
;= 8b4606
        mov     ax, word ptr from+2
;= 8b4608
        mov     ax, word ptr to[2]
;= 8b460c
        mov     al, byte ptr to
;= 8a460a
        mov     ax, word ptr es:from
;= 268b4606
copy    endp
        end
