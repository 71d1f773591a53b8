; Common data that two modules declare, and names that `externdef` and `global` declare and this module defines.
.model small
.stack 100h
comm count_:word
comm buffer:byte:10
comm far distant:word:3
externdef add_one:near, seen:word
global step:near
.data
seen dw 7
.code
start: mov ax,@data
 mov ds,ax
 mov count_,5
 call add_one
 mov bx,count_
 mov al,buffer[9]
 mov cx,sizeof buffer
 mov dx,seg distant
 mov es,dx
 mov si,es:distant[4]
 mov ah,4ch
 mov al,bl
 int 21h
step: add count_,2
 ret
end start
