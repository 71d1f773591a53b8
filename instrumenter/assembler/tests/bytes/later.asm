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
