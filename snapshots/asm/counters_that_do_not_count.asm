; An event that is never raised, an undocumented one, and counters for some levels only.
; expect stop = end
; expect _prof0_1 = 0
; expect _prof1_1 = 0
; expect _prof0_2 = 10
; expect _prof1_2 = 0
        mov ecx,10
        StartProfile EV_EXTERNAL_SNOOPS, EV_BRANCHES+USER_CODE, snoops
first:  dec ecx
        jnz first
        EndProfile
        mov ecx,10
        StartProfile EV_BRANCHES+SYS_CODE, 20h+COUNT_CYCLES, levels
second: dec ecx
        jnz second
        EndProfile
