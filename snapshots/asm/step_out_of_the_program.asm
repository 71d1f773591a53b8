; The trap flag traps after a far return that leaves the program: the fault tells the line of the return.
; expect stop = fault 1 line 13
.model small
.586
.stack 100h
.code
start:      push    7000h
            push    1234h
            pushf
            mov     bp,sp
            or      word ptr [bp],100h
            popf
            retf
            end     start
