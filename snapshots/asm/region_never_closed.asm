; Without its end macro a start macro begins no region; the diagram is that of the program, without the macro's own
; instructions. The short form of a store pairs as if it wrote the accumulator, and LOOP takes a clock more when taken.
; expect line = 0 mov ecx,5 mov eax,count
; expect line = again: 5 rounds, 45 clocks in all: 8 in 3 of them, 10 to 11 in the others (mispredicted); mean 9.0.
; expect line = V is used in 0 clocks; no order takes less than 7 (`loop` never pairs).
; expect line = +1 add eax,3 - next `loop` never pairs
        .586
        .model  flat
        .data
count   dd      0
        .code
start:
        StartTSC forgotten
        mov     ecx,5
        mov     eax,count
again:
        mov     count,eax
        add     eax,3
        loop    again
        ret
        end     start
