; MASM up to version 5 only warns of a variable of another size: the other operand decides.
vectors segment at 0
        org     9h*4
keyint  label   dword
vectors ends
code    segment
        assume  cs:code
        org     100h
begin:  jmp     init
;= eb1a
oldint  dd      1
;= 01000000
flag    db      0
;= 00
handler proc    near
        assume  ds:nothing
        pushf
;= 9c
        call    oldint
;= 2eff1e0201
        cmp     flag, 1
;= 2e803e060101
; A branch may lead to a label that is called as an instruction is.
        je      out
;= 7405
        inc     flag
;= 2efe060601
out:    popf
;= 9d
;! out | warning: `out` is an instruction, too: MASM 6 refuses it as a name
;!   = name it `out_` where it is defined and used
        iret
;= cf
handler endp
init    proc    near
        assume  ds:vectors
        mov     ax, keyint
;= a12400
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     oldint, ax
;= 2ea30201
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     ax, keyint[2]
;= a12600
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     oldint[2], ax
;= 2ea30401
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     keyint, offset handler
;= c70624000701
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
        mov     keyint[2], cs
;= 8c0e2600
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
init    endp
code    ends
        end     begin
;---
; In 32-bit code it is an error, as in all later assemblers.
        .386
        .model  flat
        .data
count   dd      5
;= 05000000
        .code
start:  mov     al, count
;! count | the memory operand is declared as a dword, but `mov` with `al` takes a byte
;!   = write `byte ptr ...` if that is intended
        ret
;= c3
        end     start
