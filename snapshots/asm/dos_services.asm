; Text output by three DOS services, and an exit code.
; expect stop = exit 42
; expect output = "one\r\n2three"
; expect written = 5
.586
.model flat
.data
first   db 'one',13,10,'$'
third   db 'three'
written dd 0
.code
start:
    mov edx,offset first
    mov ah,9
    int 21h
    mov dl,'2'
    mov ah,2
    int 21h
    mov ebx,1
    mov ecx,5
    mov edx,offset third
    mov ah,40h
    int 21h
    mov written,eax
    mov eax,4C2Ah
    int 21h
end start
