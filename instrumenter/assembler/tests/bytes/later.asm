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
;---
; The instructions that read the low half of an operand take a dword of memory, and what is called a qword.
        .586
        .mmx
        .model  flat
        .data
q       dq      5
;= 0500000000000000
d       dd      5
;= 05000000
        .code
        punpcklbw mm0, q
;= 0f600500204000
        punpcklwd mm1, d
;= 0f610d08204000
        punpckldq mm2, dword ptr [ebx]
;= 0f6213
        punpckldq mm3, [ebx]
;= 0f621b
        punpckldq mm4, mm5
;= 0f62e5
        punpckhdq mm4, d
;! d | the memory operand is declared as a dword, but `punpckhdq` with `mm4` takes a qword
;!   = write `qword ptr ...` if that is intended
        end
;---
; Distances from names that come later, of which something is subtracted, or that are subtracted.
        .386
        .model  flat
        .code
start:  nop
;= 90
second: nop
;= 90
        dd      5-(second-last)
;= 18000000
        mov     eax, [ebx-(last-second)]
;= 8b83edffffff
        dd      start-(second-last)
;= 13104000
        dd      start+(second-last)
;= ed0f4000
last:   ret
;= c3
        end     start
