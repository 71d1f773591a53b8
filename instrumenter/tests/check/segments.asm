.model small
.386
.stack 100h
.data
count   dw 5
table   db 20 dup(0)
.code
MOST    equ 3
start:  mov ax,@data
        mov ds,ax
        mov cx,count
next:   call far ptr work
        loop next
        mov ax,4C00h
        int 21h
other   segment 'code' use16
work    proc far
        mov table+MOST,1
        ret
work    endp
other   ends
end start
