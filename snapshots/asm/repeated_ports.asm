; A repeated port access is one instruction, however often the port is asked.
; with runs = 1
; expect stop = end
; expect instructions = 7
; expect first = 255
        .data
first   db 0
        db 0,0
        .code
        mov edi,offset first
        mov dx,60h
        mov ecx,3
        rep insb
        mov esi,offset first
        mov ecx,3
        rep outsb
