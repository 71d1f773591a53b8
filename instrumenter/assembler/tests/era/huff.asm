.model small
.386
.code
public _decode
; int decode(char far *src, char far *dst, struct node *tree, unsigned count)
node    struc
left    dw ?
right   dw ?
symbol  db ?
        db ?
node    ends
args    struc
_bp     dw ?
_ret    dw ?
src     dd ?
dst     dd ?
tree    dw ?
count   dw ?
args    ends
_decode proc near
        push bp
;= 55
        mov bp,sp
;= 8bec
        push si di ds es
;= 56571e06
        lds si,[bp].src
;= c57604
        les di,[bp].dst
;= c47e08
        mov cx,[bp].count
;= 8b4e0e
        mov dx,1
;= ba0100
nextsym:
        mov bx,[bp].tree
;= 8b5e0c
walk:   dec dx
;= 4a
        jnz havebits
;= 7506
        lodsb
;= ac
        mov ah,al
;= 8ae0
        mov dx,8
;= ba0800
havebits:
        shl ah,1
;= d0e4
        jc goright
;= 7205
        mov bx,ss:[bx].left
;= 368b1f
        jmp check
;= eb04
goright:
        mov bx,ss:[bx].right
;= 368b5f02
check:  cmp ss:[bx].left,0
;= 36833f00
        jne walk
;= 75e4
        mov al,ss:[bx].symbol
;= 368a4704
        stosb
;= aa
        dec cx
;= 49
        jnz nextsym
;= 75d9
        mov ax,di
;= 8bc7
        sub ax,word ptr [bp].dst
;= 2b4608
        pop es ds di si
;= 071f5f5e
        pop bp
;= 5d
        ret
;= c3
_decode endp
        end
