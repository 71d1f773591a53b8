; The i486 has no time stamp counter: only the macros of the library do without.
; with cpu = i486
; expect stop = fault 6 line 8
        .586
        .model  flat
        .code
start:  nop
        rdtsc
        ret
        end     start
