; The main module: a near and a far procedure, a table and a buffer of other modules.
.model small
.stack 256
extrn sum:near, table:word, count:word
extrn scale:far
.data
result  dw ?
pointer dd table
.code
start:  mov ax,@data
        mov ds,ax
        mov si,offset table
        mov cx,count
        call sum
        call scale
        mov result,ax
        les di,pointer
        mov dx,es:[di+2]
        mov ax,4C00h
        int 21h
public result
end start
