; A segment register is loaded with the selector that it has. It holds the descriptor already, unless the program has
; changed that in its table or has named another table since; then it is read again, as with another selector.
; expect line = same, lines 33-35: 2 clocks warm, 2 cold; measured 2
; expect line = changed, lines 37-39: 10 clocks warm, 10 cold; measured 10
; expect line = another_table, lines 44-46: 10 clocks warm, 10 cold; measured 10
; expect got = 34
.586p
.model flat
.data
align 8
table       dq 0, 00CF9A000000FFFFh, 00CF92000000FFFFh, 00CF92000000FFFFh
table_at    dw 31
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
            StartTSC another_table
            mov     es,ax
            EndTSC
            hlt
            end     start
