; A Pentium has no RDTSCP, although the assembler knows it.
; expect stop = fault 6 line 7
.586
.model flat
.code
start:
    rdtscp
    ret
end start
