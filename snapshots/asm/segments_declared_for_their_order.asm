; Segments that are declared without bytes, for their order, keep their attributes when they are opened again.
; expect stop = exit 12
; expect sum = 12
        .386p
_TEXT   segment para public use16 'CODE'
_TEXT   ends
_DATA   segment para public use16 'DATA'
_DATA   ends
STACK   segment para stack use16 'STACK'
        db 256 dup (0)
STACK   ends
_DATA   segment
sum     dw 0
_DATA   ends
_TEXT   segment
        assume cs:_TEXT, ds:_DATA
main:   mov ax,_DATA
        mov ds,ax
        mov ax,5
        add ax,7
        mov sum,ax
        mov ah,4Ch
        int 21h
_TEXT   ends
        end main
