; A quotient that does not fit ends the program at the division.
; expect stop = fault 0 line 13
; expect quotient = 25
.586
.model flat
.data
quotient dd 0
.code
start:
    mov al,25
    mov byte ptr quotient,al
    mov ax,1000
    div byte ptr three
    mov byte ptr quotient,al
    ret
.data
three db 3
end start
