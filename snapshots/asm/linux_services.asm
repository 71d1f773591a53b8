; Text output and an exit code by Linux system calls; a file that is not open returns an error number.
; expect stop = exit 7
; expect output = "out\nerr\n"
; expect answer = -9
.586
.model flat
.data
to_out db 'out',10
to_err db 'err',10
answer dd 0
.code
start:
    mov eax,4
    mov ebx,1
    mov ecx,offset to_out
    mov edx,4
    int 80h
    mov eax,4
    mov ebx,2
    mov ecx,offset to_err
    mov edx,4
    int 80h
    mov eax,4
    mov ebx,5
    int 80h
    mov answer,eax
    mov eax,1
    mov ebx,7
    int 80h
end start
