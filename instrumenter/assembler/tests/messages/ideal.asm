; How to fix a problem in TASM's IDEAL mode.
        ideal
        p386
        model   flat
        dataseg
x       dd 5
        codeseg
;---
        mov     [ecx],5
;! [ecx | operand size not specified
;!   = write `[byte ...]`, `[word ...]` or `[dword ...]`
        movzx   eax,[esi]
;! [esi | operand size not specified
;!   = write `[byte ...]` or `[word ...]`
        mov     ax,[dword x]
;! [dword x | the memory operand is a dword, but `mov` with `ax` takes a word
;!   = write `[word ...]` if that is intended
        ret
;---
        proc
;! proc | expected a name after `proc`
;!   = write `proc name`
;---
        struc
;! struc | expected a name after `struc`
;!   = write `struc name`
;---
        arg     z:dword
;! arg | `arg` is only allowed after `proc`, or `local` at the start of a macro
;!   = write `proc name` before it
;---
        proc    f
;! proc | warning: procedure `f` is never closed
;!   = add `endp f`
        ret
;---
        struc   s
;! struc | structure `s` is never closed
;!   = add `ends s`
a       dd ?
;---
        masm
        mov     [ecx],5
;! [ecx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        ideal
        call    g,1
;! call | call with arguments requires a calling convention
;!   = write `call name c, ...`, or `model flat, c`
