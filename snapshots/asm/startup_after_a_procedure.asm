; A program with `.startup` starts there, wherever it stands, if `end` names no other place.
; expect stop = exit 3
; expect x = 7
        .model small
        .386
        .stack 100h
        .data
x       dw 5
        .code
f       proc near
        mov x,7
        ret
f       endp
        .startup
        call f
        .exit 3
        end
