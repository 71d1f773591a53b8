; A routine may pop its return address and jump to it: the program has returned.
; expect stop = return
; expect instructions = 3
.586
.model flat
.code
start:      pop     ecx
            add     esp,8
            jmp     ecx
            end     start
