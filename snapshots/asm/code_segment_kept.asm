; Far transfers to the segment that CS already holds and to another one. As with a data segment, the descriptor that the
; register holds is not read again, unless the program has changed it or has named another table since.
; expect line = same_call, lines 30-32: 8 clocks warm, 146 cold; measured 8
; expect line = other_call, lines 34-36: 17 clocks warm, 25 cold; measured 17
; expect line = same_jump, lines 38-40: 3 clocks warm, 3 cold; measured 3
.586p
.model flat
.data
align 8
table       dq 0, 00CF9A000000FFFFh, 00CF92000000FFFFh, 00CF9A000000FFFFh
table_at    dw 31
            dd offset table
.code
far_call    macro   selector, place
            db      9Ah
            dd      offset place
            dw      selector
            endm
far_jump    macro   selector, place
            db      0EAh
            dd      offset place
            dw      selector
            endm
start:      lgdt    fword ptr table_at
            far_jump 8, next
next:       mov     ax,10h
            mov     ds,ax
            mov     es,ax
            nop
            StartTSC same_call
            far_call 8, near_by
            EndTSC
            nop
            StartTSC other_call
            far_call 18h, near_by
            EndTSC
            nop
            StartTSC same_jump
            far_jump 8, behind
behind:     EndTSC
            hlt
            align   16
near_by:    retf
            end     start
