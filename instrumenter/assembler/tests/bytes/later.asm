; Fields and variables that come later, behind a dot; numbers that give memory its size.
        .model  small
        .code
start:  mov     ax, [si].later
;= 8b04
        mov     al, [bx].flags
;= 8a4702
        lea     bx, [si].var
;= 8d9c1900
        mov     ax, [bx].nowhere
;! . | undefined field `nowhere`
        mov     [bx], byte ptr 5
;= c60705
        mov     [bx], word ptr 5
;= c7070500
        add     [bx], word ptr 5
;= 81070500
        ret
;= c3
var     dw      5
;= 0500
rec     struc
later   dw      ?
flags   db      ?
rec     ends
        end     start
;---
; Variables with names of instructions, also before their definition.
        .model  small
        .code
start:  mov     dx, offset str
;= ba1600
        mov     al, str[bx]
;= 2e8a871600
        mov     al, [str+1]
;= 2ea01700
        cmp     str, 'a'
;= 2e803e160061
        mov     ax, sub
;! sub | undefined symbol `sub`
        mov     sub bx, 5
;! sub | expected an operand, found an instruction (this is an instruction)
;!   = write `sub bx, 5` or `mov bx, 5`
        ret
;= c3
str     db      'Hello$'
;= 48656c6c6f24
        mov     dx, offset str
;= ba1600
        end     start
