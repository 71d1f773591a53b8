; Only a return from the entry ends the program: a jump to the same address finds what memory has there, in flat code
; nothing.
; expect stop = fault 14 line 8
.586
.model flat
.code
start:      mov     eax,-10h
            jmp     eax
            end     start
