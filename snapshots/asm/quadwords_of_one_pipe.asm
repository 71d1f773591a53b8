; The i486 makes two accesses of 4 bytes for one of 8, and its clocks for the instruction include both. Only an access
; that does not begin at a multiple of 4 bytes is misaligned.
; with cpu = i486
; expect line = at_8, lines 17-19: 3 clocks warm, 3 cold; not measured
; expect line = at_4, lines 20-22: 3 clocks warm, 3 cold; not measured
; expect line = at_2, lines 23-25: 6 clocks warm, 6 cold; not measured
; expect line = across_lines, lines 26-28: 3 clocks warm, 33 cold; not measured
; expect stop = return
        .486
        .model  flat
        .data
        align   32
x       dd      12 dup(1)
        .code
start:
        mov     eax,x
        StartTSC at_8
        fld     qword ptr x
        EndTSC
        StartTSC at_4
        fld     qword ptr x+4
        EndTSC
        StartTSC at_2
        fld     qword ptr x+2
        EndTSC
        StartTSC across_lines
        fld     qword ptr x+28
        EndTSC
        ret
        end     start
