; Without its end macro a start macro begins no region; the diagram is that of the program, without the macro's own
; instructions. The short form of a store pairs as if it wrote the accumulator, and LOOP takes a clock more when taken.
; expect line = 0 mov ecx,5 mov eax,count
; expect line = again: 5 rounds from clock 1, 45 clocks; 8 in 3 of them, else 10 to 11 (mispredicted); mean 9.0.
; expect line = V is used in 0 clocks; no order takes less than 7 (some never pair).
; expect line = +0 mov count,eax - next add needs eax, which this mov counts as written (its short form)
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
