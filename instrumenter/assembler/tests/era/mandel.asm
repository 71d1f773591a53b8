.286
code segment para public 'code'
assume cs:code,ds:code,ss:code
org 100h
start: jmp begin
;= eb12
; fixed point, 12 bits of fraction
xmin dw -8192
;= 00e0
xmax dw 4096
;= 0010
ymin dw -5120
;= 00ec
dx_  dw (4096+8192)/320
;= 2600
dy_  dw (2*5120)/200
;= 3300
iter equ 32
cx0 dw ?
;= 0000
cy0 dw ?
;= 0000
zx dw ?
;= 0000
zy dw ?
;= 0000
mulfix macro op
 imul op
 mov al,ah
 mov ah,dl
 shr dx,8
 shr dx,4
 rcr ax,1
 shrd_ ax,3
endm
shrd_ macro r,n
 rept n
 sar r,1
 endm
endm
begin: mov ax,13h
;= b81300
 int 10h
;= cd10
 push 0a000h
;= 6800a0
 pop es
;= 07
 xor di,di
;= 33ff
 mov ax,ymin
;= a10601
 mov cy0,ax
;= a30e01
 mov bp,200
;= bdc800
yl: mov ax,xmin
;= a10201
 mov cx0,ax
;= a30c01
 mov si,320
;= be4001
xl: mov zx,0
;= c70610010000
 mov zy,0
;= c70612010000
 mov cx,iter
;= b92000
il: mov ax,zx
;= a11001
 mulfix zx
;= f72e10018ac48ae2c1ea08c1ea04d1d8d1f8d1f8d1f8
 mov bx,ax
;= 8bd8
 mov ax,zy
;= a11201
 mulfix zy
;= f72e12018ac48ae2c1ea08c1ea04d1d8d1f8d1f8d1f8
 push ax
;= 50
 add ax,bx
;= 03c3
 cmp ax,4*4096
;= 3d0040
 pop ax
;= 58
 jg out_
;= 7f2e
 sub bx,ax
;= 2bd8
 mov ax,zx
;= a11001
 mulfix zy
;= f72e12018ac48ae2c1ea08c1ea04d1d8d1f8d1f8d1f8
 shl ax,1
;= d1e0
 add ax,cy0
;= 03060e01
 mov zy,ax
;= a31201
 add bx,cx0
;= 031e0c01
 mov zx,bx
;= 891e1001
 loop il
;= e295
out_: mov al,cl
;= 8ac1
 stosb
;= aa
 mov ax,dx_
;= a10801
 add cx0,ax
;= 01060c01
 dec si
;= 4e
 jnz xl
;= 7403e976ff
 mov ax,dy_
;= a10a01
 add cy0,ax
;= 01060e01
 dec bp
;= 4d
 jnz yl
;= 7403e960ff
 xor ax,ax
;= 33c0
 int 16h
;= cd16
 mov ax,3
;= b80300
 int 10h
;= cd10
 ret
;= c3
code ends
end start
