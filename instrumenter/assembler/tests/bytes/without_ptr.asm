; TASM takes a distance without `ptr`. A size without it is a number: before a bracket it is added.
code    segment
        assume  cs:code, ds:code
        extrn   away:far
v       dd      0
;= 00000000
w       dw      5
;= 0500
start:  jmp     near start
;= e9fdff
        jz      near start
;= 7503e9f8ff
        call    far away
;= 9a00000000
        call    far [v]
;= ff1e0000
        call    far [bx]
;= ff1f
        call    near [bx]
;= ff17
        call    far ax
;! ax | expected `,` or the end of the line
        mov     ax, near start
;= b80000
;! start | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
        mov     ax, word [bx]
;= 8b4702
;! word | warning: `word` without `ptr` is a number: 2 is added to the address
;!   = write `word ptr [...]` for the size of the operand
        mov     al, byte w
;! byte | `byte` takes `ptr` before its operand
;!   = write `byte ptr w`
        mov     ax, word bx
;! word | `word` takes `ptr` before its operand
;!   = write `word ptr bx`
        mov     ax, word
;= b80200
        mov     ax, word+1
;= b80300
        mov     al, [si]v
;! v | expected `,` or the end of the line
        inc     ax count
;= 40
;! count | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
code    ends
        end
;---
; What is the name of an instruction is no name for MASM 6; TASM and programs for older processors have such names.
        .8086
code    segment
        assume  cs:code
add:    nop
;= 90
;! add | warning: `add` is an instruction, too: MASM 6 refuses it as a name
;!   = name it `add_` where it is defined and used
loop    db      5
;= 05
;! loop | warning: `loop` is an instruction, too: MASM 6 refuses it as a name
;!   = name it `loop_` where it is defined and used
wait    proc    near
;! wait | warning: `wait` is an instruction, too: MASM 6 refuses it as a name
;!   = name it `wait_` where it is defined and used
        ret
;= c3
wait    endp
enter:  jmp     add
;= ebfb
cpuid   dw      enter
;= 0300
        mov     al, loop
;= 2ea00100
code    ends
        end
;---
; Without an ASSUME for it, CS holds the segment that is open, as for MASM 6.
code    segment
v       db      5
;= 05
start:  mov     al, v
;= 2ea00000
        jmp     start
;= ebfa
        call    near ptr start
;= e8f7ff
code    ends
        end     start
;---
; LEA takes an offset for what it is the offset of.
        .model  small
        .data
        db      5
;= 05
text    db      'x$'
;= 7824
        .code
start:  lea     dx, offset text
;= 8d160100
        lea     dx, offset text+2
;= 8d160300
        lea     si, offset start
;= 8d360000
        lea     bx, offset dgroup:text
;= 8d1e0100
        lea     bx, 1+offset text
;= 8d1e0200
        lea     cx, offset text-offset start
;! offset text-offset start | `lea` takes the address of a memory operand, not an immediate
;!   = use `mov` to load a number
        lea     cx, 5
;! 5 | `lea` takes the address of a memory operand, not an immediate
;!   = use `mov` to load a number
        lea     dl, offset text
;! dl | no valid encoding for `lea` with `dl` and memory
;!   = valid operands: r16,m · r32,m
        mov     dx, offset text
;= ba0100
        end     start
;---
        .386
        .model  flat
        .data
v       dd      5
;= 05000000
        .code
        mov     eax, sectionrel v
;! sectionrel | `sectionrel` is an operator of later assemblers, for tables of a debugger
;!   = write `offset`, and subtract where the section begins
        lea     esi, offset v
;= 8d3500204000
        lea     esi, offset v+4
;= 8d3504204000
        mov     eax, dword [ebx]
;= 8b4304
;! dword | warning: `dword` without `ptr` is a number: 4 is added to the address
;!   = write `dword ptr [...]` for the size of the operand
        end
