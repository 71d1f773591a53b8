; Data is executed like code: here an undefined opcode.
; The fault reports the line that jumped there.
; expect stop = fault 6 line 15
; expect came_by = 3
.586
.model flat
.data
came_by dd 0
align 16
no_code db 0FFh,0FFh,0FFh,0FFh
.code
start:
    mov came_by,3
    mov eax,offset no_code
    jmp eax
end start
