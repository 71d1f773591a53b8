; A segment register is loaded with the selector that it has. It holds the descriptor already, unless the program has
; changed that in its table or has named another table since; then it is read again, as with another selector. LGDT of
; the same table names no other, and LLDT none of a selector of the global table.
; expect line = same, lines 38-40: 2 clocks warm, 2 cold; measured 2
; expect line = changed, lines 42-44: 10 clocks warm, 10 cold; measured 10
; expect line = same_table, lines 49-51: 2 clocks warm, 2 cold; measured 2
; expect line = local_table, lines 55-57: 2 clocks warm, 2 cold; measured 2
; expect line = another_table, lines 60-62: 10 clocks warm, 10 cold; measured 10
; expect got = 34
.586p
.model flat
.data
align 8
table       dq 0, 00CF9A000000FFFFh, 00CF92000000FFFFh, 00CF92000000FFFFh
table_at    dw 31
            dd offset table
larger_at   dw 39
            dd offset table
one         dd 11h
other       dd 22h
got         dd 0
.code
start:      lgdt    fword ptr table_at
            db      0EAh
            dd      offset next
            dw      8
next:       mov     ax,18h
            mov     es,ax
            mov     ecx,20
again:      mov     byte ptr ds:[table+18h+2],0
            mov     es,ax
            dec     ecx
            jnz     again
            mov     edx,offset one
            nop
            nop
            nop
            StartTSC same
            mov     es,ax
            EndTSC
            mov     byte ptr ds:[table+18h+2],4
            StartTSC changed
            mov     es,ax
            EndTSC
            mov     edx,es:[edx]
            mov     got,edx
            lgdt    fword ptr table_at
            nop
            StartTSC same_table
            mov     es,ax
            EndTSC
            xor     edx,edx
            lldt    dx
            nop
            StartTSC local_table
            mov     es,ax
            EndTSC
            lgdt    fword ptr larger_at
            nop
            StartTSC another_table
            mov     es,ax
            EndTSC
            hlt
            end     start
