; A repeated port access counts once in warm runs too, where an instruction follows it.
; with runs = 3
; expect stop = end
; expect instructions = 8
        .data
first   db 3 dup(0)
        .code
        mov edi,offset first
        mov dx,60h
        mov ecx,3
        rep insb
        mov esi,offset first
        mov ecx,3
        rep outsb
        shr edx,24
