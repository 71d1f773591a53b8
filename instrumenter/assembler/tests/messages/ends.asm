; What is begun and never ended.
;---
        .if     eax == 1
;! .if | `.if` is never closed
;!   = add `.endif`
        mov     ebx, 1
;---
        .if     eax == 1
;! .if | `.if` is never closed
;!   = add `.endif`
        mov     ebx, 1
        .else
        mov     ebx, 2
;---
        .while  eax == 1
;! .while | `.while` is never closed
;!   = add `.endw`
        mov     ebx, 1
        .break  .if ebx == 2
;---
        .repeat
;! .repeat | `.repeat` is never closed
;!   = add `.until`
        mov     ebx, 1
        .continue
;---
        .if     eax == 1
        .while  eax != 3
;! .while | `.while` is never closed
;!   = add `.endw`
        mov     ebx, 1
        .endif
;---
        .repeat
        .if     eax
;! .if | `.if` is never closed
;!   = add `.endif`
        inc     eax
        .until  eax == 5
;---
twice   macro   text
;! twice | macro `twice` is never closed
;!   = add `endm`
        text
        text
;---
        rept    3
;! rept | repeat `REPT` is never closed
;!   = add `endm`
        nop
;---
        irp     name, <eax, ebx>
;! irp | repeat `IRP` is never closed
;!   = add `endm`
        push    name
;---
        while   1
;! while | repeat `WHILE` is never closed
;!   = add `endm`
        nop
;---
Frame   proc
;! Frame | warning: procedure `Frame` is never closed
;!   = add `Frame endp`
        ret
;---
Point   struc
;! Point | structure `Point` is never closed
;!   = add `Point ends`
x       dd      0
y       dd      0
;---
Point   struc
x       dd      0
        union
;! union | structure is never closed
;!   = add `ends`
y       dd      0
;---
Point   struc
;! Point | structure `Point` is never closed (line 6 cannot be in it)
;!   = add `Point ends`
x       dd      0

        mov     eax, ebx
        mov     ecx, ebx
;---
_TEXT   segment
;! _TEXT | warning: segment `_TEXT` is never closed
;!   = add `_TEXT ends`
        nop
;---
        comment ~
;! comment | block comment is never closed
;!   = end the comment with a second `~`
        nop
;---
        if      1
;! if | conditional is never closed
;!   = add `endif`
        nop
;---
        ifdef   never
;! ifdef | conditional is never closed
;!   = add `endif`
        nop
        else
        nop
;---
twice   macro
        if      1
;! if | conditional is never closed (and in 1 more call)
;!   = add `endif`
        nop
        endm
        twice
        twice
;---
again   macro
        local   exit
        jmp     exit
;! exit | local name is not defined in this expansion of the macro (and in 1 more call)
        endm
        again
        again
;---
;---
; A structure that is used before it ends.
        .model  small
point   struc
;! point | structure `point` is never closed (line 10 uses it)
;!   = add `point ends`
x       dw      1
y       dw      2

line    struc
from    point   <>
to      point   <3,4>
line    ends
first   line    <>
;! line | undefined structure `line`
        end
