; Programs of 16 bits with one mistake in an operand each, as people make them. The message is at the mistake.
.model small
.386
.stack 100h
.data
count   dw      5
flag    db      0
big     dd      70000
name1   db      'abc$'
arr     dw      4 dup(0)
.code
start:  mov     ax, @data
        mov     ds, ax
;---
        mov     al, count
;! mov | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
;---
        cmp     flag, ax
;! cmp | warning: the variable has another size than the other operand, which decides how many bytes are accessed
;!   = write `byte ptr ...`, `word ptr ...` or `dword ptr ...` if that is intended
;---
        mov     [bx], 5
;! [bx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
;---
        mov     al, 300
;! 300 | 300 does not fit in 8 bits
;---
        mov     ds, 5
;! 5 | `mov` cannot load a segment register with an immediate
;!   = load it through a general register
;---
        mov     count, arr
;! arr | `mov` cannot move from memory to memory
;!   = load one of them into a register first
;---
        cmp     5, ax
;! 5 | immediate not allowed as the first operand of `cmp`
;!   = the first operand is the destination; for memory at a fixed address, write `ds:[1234h]`
;---
        mov     ax, [si+di]
;! [si+di | `[si+di]` is not a valid 16-bit address
;!   = a 16-bit address uses one of bx and bp, one of si and di, or one of each
;---
        shl     ax, bx
;! bx | the count of `shl` must be `cl` or an immediate
;!   = load the count into `cl`
;---
        mov     ax, coutn
;! coutn | undefined symbol `coutn`
;!   = did you mean `count`?
;---
        mvo     ax, bx
;! mvo | unknown instruction, directive or macro `mvo`
;!   = did you mean `mov`?
;---
        mov     axx, 5
;! axx | undefined symbol `axx`
;---
        mov     ax bx
;! bx | expected `,` or the end of the line
;---
        jmp     short away
;! short away | branch target out of range: it is 200 bytes ahead, and a short branch reaches 127 forward and 128 back
;!   = remove `short`
        db      200 dup(90h)
away:
;---
again:  nop
again:  nop
;! again | `again` is already defined
;!   = rename one of them; the first definition is on line 15
        jmp     again
;---
        mov     dl, offset name1
;! offset name1 | the offset of `name1` has 16 bits and does not fit in 8 bits
;!   = use `dx`
;---
        mov     byte ptr [bx], offset name1
;! offset name1 | the offset of `name1` has 16 bits and does not fit in 8 bits
;!   = write `word ptr`
;---
        mov     ax, es:bx
;! es:bx | the register `bx` is in no segment
;!   = write `es:[bx]` for the memory that it points to
;---
        mov     ax, es:ds:[bx]
;! : | an address in `es` and in `ds`
;!   = write one segment register before the address
;---
        mov     ax, FFh
;! FFh | undefined symbol `FFh`
;!   = a number begins with a digit: write `0FFh`
;---
        mov     ax, 1012b
;! 1012b | invalid digit in a binary number
;---
        mov     ax, 4c
;! 4c | invalid digit in a decimal number; write `h` after a hexadecimal number
;---
        mov     ax, [bx
;!  | expected `]` (unclosed bracket)
;---
        int     300
;! 300 | 300 does not fit in 8 bits
;---
        out     300h, al
;! 300h | port 768 does not fit in 8 bits
;!   = load it into `dx` and use `dx`
;---
        lea     ax, bx
;! bx | `lea` takes the address of a memory operand, not a register
;!   = write `[bx]`, or use `mov` to copy the register
;---
        push    al
;! al | `push` takes 16 or 32 bits, and `al` has 8
;!   = use `ax`
;---
        movzx   ax, bx
;! ax | `movzx` widens, and `ax` is not wider
;!   = use `mov` to copy between registers of one size
;---
        mov     ax, wrod ptr [bx]
;! wrod | expected a type before this operator
;---
        mov     ax, arr[bx*2]
;! * | only a 32-bit general register other than `esp` can be scaled
;---
        jmp     far
;! far | expected a label after this word
;!   = write `jmp far ptr label`
;---
        jmp     5:6:7
;! : | expected a segment register before `:`
;---
        rep     rep movsb
;! rep | a second repeat prefix
;---
        pop     cs
;! cs | `pop` cannot load `cs`
;!   = use a far jump, call or return
;---
        public  5
;! 5 | expected a name
;---
        even    5
;! 5 | warning: this text behind the statement is passed over, as by MASM 5 and TASM
;!   = write `;` before it, if it is a comment
;---
        .data
v1      db      'hi', 13, 10, $
;! $ | the offset of the current location has 16 bits and does not fit in 8 bits
;!   = define it with `dw`
 .code
