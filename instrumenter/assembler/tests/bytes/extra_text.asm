; In 16-bit code, as in MASM up to version 5 and in TASM, text behind a complete statement is passed over.
code    segment
        assume  cs:code
first   db      ? (100h-80h) dup(?)
;= 00
;! (100h-80h) dup(?) | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
second  dw      1, 2 two words
;= 01000200
;! two words | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        align   2 here
;= 90
;! here | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        inc     ax one more
;= 40
;! one more | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        int     21h DOS
;= cd21
;! DOS | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        ret     4 arguments
;= c20400
;! arguments | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
three   =       3 of them
;! of them | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        db      three
;= 03
        dw      5 + , 6
;! , | expected an operand, found `,`
        mov     ax, bx + 
;!  | missing operand
        mov     ax, bx cx
;! cx | expected `,` or the end of the line
code    ends
        end
;---
; In 32-bit code it is an error, as in MASM 6.
        .386
        .model  flat
        .data
second  dd      1, 2 two words
;= 0100000002000000
;! two | expected the end of the statement (unexpected text)
        .code
start:  inc     eax one more
;! one | expected `,` or the end of the line
        ret
;= c3
        end     start
;---
; In 32-bit code it is TASM that passes over it: other assemblers refuse it.
        .386
        .model  flat
        .code
        mov     eax, esi   move it
;! move | expected `,` or the end of the line
        proc    first
        mov     eax, esi   move it
;= 8bc6
;! move it | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        mov     eax, esi ebx
;! ebx | expected `,` or the end of the line
        mov     eax, [esi] 5
;! 5 | expected `,` or the end of the line
        ret
;= c3
        endp
        end
