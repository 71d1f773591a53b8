; Five lines of one set of a data cache of four ways, in the order A B C A D E: the three bits of a set select the older
; line of the older pair, which is not always the oldest of all. In each round two are read again; an order of all four
; would read four.
; with cpu = p55c
; expect line = DATA_READ_MISS 2002 warm, 2006 cold; measured 2002
.586
.model flat
.data
align 4096
table       db 5 * 4096 dup (0)
.code
start:      mov     esi,offset table
            mov     ecx,1000
            StartProfile EV_DATA_READ_MISS,EV_INSTRUCTIONS_EXECUTED,rounds
again:      mov     eax,[esi]
            mov     eax,[esi+4096]
            mov     eax,[esi+2*4096]
            mov     eax,[esi]
            mov     eax,[esi+3*4096]
            mov     eax,[esi+4*4096]
            dec     ecx
            jnz     again
            EndProfile
            ret
            end     start
