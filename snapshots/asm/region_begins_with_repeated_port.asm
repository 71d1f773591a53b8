; A repeated string instruction that writes a port has one pass of a region, whichever iteration is visited first.
.386
.model flat
.data
values db 64 dup (5)
.code
start:  mov dx,3C9h
        mov esi,offset values
        mov ecx,10
        StartTSC colours
        rep outsb
        EndTSC
        ret
end start
; expect stop = return
; expect line = colours, lines 10-12: 210 clocks warm, 306 cold; measured 211, with 1 clock before it: prefix
