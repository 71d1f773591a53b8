; What old sources have that other assemblers read differently.
;---
code    segment
        shl     dx, 4
;! shl | warning: the 8086 cannot shift by a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM shifts in several instructions
        push    5
code    ends
        end
;---
        .8086
code    segment
        push    5
;! push | warning: the 8086 cannot push a number: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM pushes in several instructions
        shl     dx, 4
code    ends
        end
;---
_DATA   segment
        ends
        ends
;! ends | warning: nothing to end: no structure or segment is open
;!   = remove this line
        endp
;! endp | warning: nothing to end: no procedure is open
;!   = remove this line
        other   ends
;! other | nothing to end: no structure or segment is open
        end
;---
        .model  small
        .data
text    db      '', 0
;! '' | warning: an empty string makes no bytes
;!   = remove it, or write `0` for a byte
        end
;---
        extrn   table:byte:-5
;! table | `table` cannot have -5 elements
;!   = write a count from 1 on: `name:byte:100`
        comm    none:byte:0
;! none | common data has 1 to 67108864 bytes
;!   = write its type and count: `name:byte:100`
        end
;---
        .386
        .model  flat
        .code
        startupcode
;! startupcode | `startupcode` requires a memory model with 16-bit segments
;!   = write `.model small` before it
        end
;---
        ideal
        err
;! err | forced error (forced by `err`)
        end
;---
        if      nowhere
;! nowhere | undefined symbol `nowhere`
        db      1
        endif
        if      later
;! later | undefined symbol `later`
        nop
        else
later   equ     1
        endif
        end
;---
        mov     (type 3) ptr [ebx], 5
;! type | expected a type before this operator
        mov     3 ptr [ebx], 5
;! 3 | expected a type before this operator
        npad    16
;! 16 | padding has 1 to 15 bytes, not 16
        end
;---
code    segment
here:   if      here eq next
;! here | this condition depends on what follows it, which depends on the condition
;!   = define before it what it asks for
        db      1
        endif
next:
code    ends
        end
