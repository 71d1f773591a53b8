; Stack and flag instructions have the width of their segment, unless their name says another.
        .386
        .model  flat
        .code
start:  pushf
;= 9c
        popf
;= 9d
        pusha
;= 60
        popa
;= 61
        pushfd
;= 9c
        popad
;= 61
        pushfw
;= 669c
        popaw
;= 6661
        iret
;= cf
        iretd
;= cf
        iretw
;= 66cf
        end     start
;---
        .model  small
        .386
        .code
start:  pushf
;= 9c
        popf
;= 9d
        pusha
;= 60
        popa
;= 61
        pushfd
;= 669c
        popad
;= 6661
        pushfw
;= 9c
        popaw
;= 61
        iret
;= cf
        iretd
;= 66cf
        end     start
;---
; A return from an interrupt ends a procedure, too.
        .model  small
        .code
handler proc    far uses ax ds
        mov     ax, 5
;= 501eb80500
        iret
;= 1f58cf
handler endp
plain   proc    far
        iret
;= cf
plain   endp
        end
;---
; In 16-bit code a pushed number that no word holds is a dword.
        .model  small
        .386
        .code
        push    12345678h
;= 666878563412
        push    0FFFFFFFFh
;= 6aff
        push    -40000
;= 6668c063ffff
        push    0FFFFh
;= 6aff
        push    -1
;= 6aff
        push    word ptr 12345678h
;! word ptr 12345678h | 305419896 does not fit in 16 bits
        mov     ax, 12345678h
;! 12345678h | 305419896 does not fit in 16 bits
        end
