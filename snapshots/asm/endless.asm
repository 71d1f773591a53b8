; An endless loop, stopped by the limit. The pair is its own target: once mispredicted, it is mispredicted every time,
; which turns three clocks into six.
; with limit = 10000
; with runs = 3
; expect stop = limit
; expect passes = 1645
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
