; The program runs at privilege level 0, so a counter for level 3 does not advance.
        mov ecx,100
        StartProfile EV_BRANCHES+SYS_CODE, EV_BRANCHES+USER_CODE, branches
next:   inc eax
        inc ebx
        dec ecx
        jnz next
        EndProfile
