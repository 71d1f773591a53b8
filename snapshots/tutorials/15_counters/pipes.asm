; How many instructions, and how many of them in the V pipe?
        mov ecx,100
        StartProfile EV_INSTRUCTIONS_EXECUTED, EV_INSTRUCTIONS_EXECUTED_V_PIPE, pipes
next:   inc eax
        inc ebx
        dec ecx
        jnz next
        EndProfile
