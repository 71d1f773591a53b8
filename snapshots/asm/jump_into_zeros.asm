; A jump into memory that holds nothing, in real mode: zeros are instructions, too, which run up to the end of the
; segment. They are one line of the listing, and the fault tells the line of the jump.
; expect stop = fault 13 line 10
; expect line = 21845 instructions of empty memory are listed as one line.
; expect instructions = 21847
.model small
.stack 100h
.code
start:      mov     ax,5555h
            jmp     ax
            end     start
