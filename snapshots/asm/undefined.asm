; An opcode that no Pentium has.
; expect stop = fault 6 line 11
; expect before = 1
.586
.model flat
.data
before dd 0
.code
start:
    mov before,1
    db 0Fh,0Bh
    mov before,2
    ret
end start
