; A repeated port access is one instruction, however many accesses it makes; in warm runs too, and before another one.
; Each access waits 16 clocks for its bus cycle: 96 of the clocks.
; with runs = 3
; expect stop = end
; expect instructions = 8
; expect cycles = 140
; expect first = 1
        .data
first   db 0
others  db 0,0
        .code
        mov edi,offset first
        mov dx,60h
        mov ecx,3
        rep insb
        mov esi,offset first
        mov ecx,3
        rep outsb
        shr edx,24
