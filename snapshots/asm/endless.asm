; A loop that never ends, stopped by the limit. The pair is its own target: mispredicted once, it is mispredicted every
; time, which makes six clocks of three.
; with limit = 10000
; with runs = 3
; expect stop = limit
; expect passes = 1661
.586
.model flat
.data
passes dd 0
.code
start:
    mov eax,passes
again:
    inc passes
    jmp again
end start
