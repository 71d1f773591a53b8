; A loop of one group, DEC with JNZ, jumps to itself. A group right after a misprediction cannot use a prediction, so
; one mispredicted round makes all further rounds mispredict: 1 clock, and 4 because JNZ is in V (Agner Fog,
; Microarchitecture, 3.2: a loop that jumps to itself is mispredicted in every round).
;
; The entry attached to DEC is at 3 in the loop. The last JNZ, predicted not taken, falls through: 2. The group behind
; the loop meets that entry, which predicts a branch that is not there: 1. So the second round of the next run is
; mispredicted again, and 98 of 100 rounds are: 101 + 98 * 4 = 493. Nothing of the program follows here, but the code
; that starts it anew does; in a measured region it is the end macro.
; expect cycles = 493
; expect instructions = 201
        mov     ecx,100
l:      dec     ecx
        jnz     l
