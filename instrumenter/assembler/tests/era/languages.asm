; TASM: ARG/LOCAL/USES in each language without and with .MODEL language
        .model  small
        .286
        locals
        .data
dummy   dw      ?
;= 0000
        .code
; no language at all
n1      proc    near
        arg     a:word, b:dword = n1args
        local   x:word, y:byte:10 = n1locs
        push    bp
;= 55
        mov     bp,sp
;= 8bec
        sub     sp,n1locs
;= 83ec0c
        mov     ax,a
;= 8b4604
        les     di,b
;= c47e06
        mov     x,ax
;= 8946fe
        mov     y[2],al
;= 8846f6
        mov     sp,bp
;= 8be5
        pop     bp
;= 5d
        ret     n1args
;= c20600
n1      endp
c1      proc    c near
        arg     a:word, b:dword
        uses    si,di
        mov     ax,a
;= 558bec56578b4604
        mov     dx,word ptr b+2
;= 8b5608
        ret
;= 5f5ec9c3
c1      endp
p1      proc    pascal far
        arg     a:word, b:dword, c:byte = p1args returns r:word
        local   t:word
        uses    ds
        mov     ax,a
;= 558bec83ec021e8b460c
        mov     bl,c
;= 8a5e06
        mov     r,ax
;= 89460e
        ret
;= 1fc9ca0800
p1      endp
b1      proc    basic far x:word, y:dword
        local   z:dword
        mov     ax,x
;= 558bec83ec048b460a
        ret
;= c9ca0600
b1      endp
f1      proc    fortran near
        arg     x:dword
        les     bx,x
;= 558becc45e04
        ret
;= c9c20400
f1      endp
pr1     proc    prolog near
        ret
;= c3
pr1     endp
nl      proc    nolanguage near
        arg     q:word
        push    bp
;= 55
        mov     bp,sp
;= 8bec
        mov     ax,q
;= 8b4604
        pop     bp
;= 5d
        ret     2
;= c20200
nl      endp
m1      proc    c near
        arg     p:dataptr, f:codeptr, w:word:2, s:ptr byte, u
        mov     ax,p
;= 558bec8b4604
        mov     bx,f
;= 8b5e06
        mov     cx,w
;= 8b4e08
        mov     dx,u
;= 8b560e
        ret
;= c9c3
m1      endp
l1      proc    near
@@a:    jmp     @@b
;= eb00
@@b:    loop    @@a
;= e2fc
        ret
;= c3
l1      endp
l2      proc    near
        local   @@v:word
        jz      @@a
;= 7400
@@a:    jnz     @@a
;= 75fe
        ret
;= c3
l2      endp
caller  proc    near
        call    c1 c, ax, dx bx
;= 525350e899ff83c406
        call    p1 pascal, ax, ds dx, bx
;= 501e52530ee89dff
        call    n1
;= e873ff
        call    b1 basic, 1, 2
;= 6a016a006a020ee8a5ff
        call    m1 c, offset dummy, offset l1, ax, bx, cx, dx
;= 52515350686f00680000e8baff83c40c
        ret
;= c3
caller  endp
; segments with the same name several times, groups after use, EVEN in data
        .data
        even
w1      dw      1
;= 0100
        align   4
d1      dd      2
;= 02000000
        .data?
        even
u1      dw      ?
;= 0000
        .const
k1      dw      7
;= 0700
        .code
        mov     ax,w1
;= a10200
        mov     ax,k1
;= a11000
        mov     u1,ax
;= a32000
        mov     bx,offset k1
;= bb1000
        mov     ax,@curseg
;= b81010
        mov     ax,@cpu
;= b80705

        end
