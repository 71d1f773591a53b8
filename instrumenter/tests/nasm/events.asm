; An event that does not exist, in the second argument.
bits 32
section .text
_start: StartProfile EV_DATA_READ, EV_NOTHING, "x"
        nop
        EndProfile
        ret
