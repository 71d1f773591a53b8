; The overflow flag is clear after SHR and SAR by more than one, however often the loop has run; processors of later
; years leave another value there. A positive result is neither less nor equal, and a negative one is less.
; expect stop = return
; expect greater = 6000
; expect less = 6000
; expect copied = 6000
.586
.model flat
.data
greater dd 0
less    dd 0
copied  dd 0
.code
start:
    mov ecx,6000
next:
    mov eax,0A9C7497Dh
    shr eax,20
    jle lower
    inc greater
lower:
    mov eax,0A9C7497Dh
    sar eax,20
    setl dl
    jge higher
    inc less
higher:
    movzx edx,dl
    add copied,edx
    dec ecx
    jnz next
    ret
end start
