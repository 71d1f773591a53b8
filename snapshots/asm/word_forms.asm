; Words and 16-bit addresses in 32-bit code: what they preserve, and where they wrap around.
; expect stop = return
; expect upper_half = 12340001h
; expect carry = 1
; expect product = 0FFFE0001h
; expect looped = 3
; expect pushed = 2
; expect near_zero = 14
.586
.model flat
.data
upper_half dd 1234FFFFh
carry      dd 0
product    dd 0
looped     dd 0
pushed     dd 0
near_zero  dd 14
.code
start:
    add word ptr upper_half,2
    adc carry,0
    mov ax,0FFFFh
    mov dx,0FFFFh
    mul dx
    shl edx,16
    mov dx,ax
    mov product,edx
    mov ecx,0FFFF0003h
again:
    inc looped
    db 67h
    loop again
    mov eax,esp
    push ax
    sub eax,esp
    mov pushed,eax
    add esp,2
    ret
end start
