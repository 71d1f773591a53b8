; A DPMI host client: switches to 32-bit protected mode and allocates memory.
        .386
STACKSIZE equ 1000h
cseg    segment use16 para public 'code'
        assume cs:cseg,ds:dseg,ss:sseg
host    dd      ?
;= 00000000
hostmem dw      ?
;= 0000
psp     dw      ?
;= 0000
start:  mov     ax,dseg
;= b81f10
        mov     ds,ax
;= 8ed8
        mov     cs:psp,es
;= 2e8c060600
        mov     bx,ss
;= 8cd3
        mov     ax,es
;= 8cc0
        sub     bx,ax
;= 2bd8
        mov     ax,sp
;= 8bc4
        shr     ax,4
;= c1e804
        add     bx,ax
;= 03d8
        inc     bx
;= 43
        mov     ah,4ah
;= b44a
        int     21h
;= cd21
        mov     ax,1687h
;= b88716
        int     2fh
;= cd2f
        or      ax,ax
;= 0bc0
        jnz     nodpmi
;= 7569
        test    bl,1
;= f6c301
        jz      nodpmi
;= 7464
        mov     word ptr cs:host[0],di
;= 2e893e0000
        mov     word ptr cs:host[2],es
;= 2e8c060200
        mov     cs:hostmem,si
;= 2e89360400
        or      si,si
;= 0bf6
        jz      @f
;= 740a
        mov     bx,si
;= 8bde
        mov     ah,48h
;= b448
        int     21h
;= cd21
        jc      nodpmi
;= 7249
        mov     es,ax
;= 8ec0
@@:     mov     ax,1
;= b80100
        call    dword ptr cs:[host]
;= 2eff1e0000
        jc      nodpmi
;= 723d
        mov     ax,0000h
;= b80000
        mov     cx,1
;= b90100
        int     31h
;= cd31
        mov     codesel,ax
;= a30000
        mov     bx,ax
;= 8bd8
        mov     ax,0007h
;= b80700
        movzx   edx,word ptr ds:[seg32]
;= 660fb7160200
        shl     edx,4
;= 66c1e204
        mov     cx,word ptr [esp+2]
;= 678b4c2402
        int     31h
;= cd31
        lar     cx,bx
;= 0f02cb
        shr     cx,8
;= c1e908
        or      ch,40h
;= 80cd40
        mov     ax,9
;= b80900
        int     31h
;= cd31
        push    dword ptr 0
;= 666a00
        push    small codesel
;= ff360000
        push    large offset entry32
;= 666800000000
        retf
;= cb
nodpmi: mov     dx,offset nomsg
;= ba0400
        mov     ah,9
;= b409
        int     21h
;= cd21
        mov     ax,4c01h
;= b8014c
        int     21h
;= cd21
cseg    ends

dseg    segment use16 para public 'data'
codesel dw      ?
;= 0000
seg32   dw      c32
;= 1b10
nomsg   db      'No DPMI host$'
;= 4e6f2044504d4920686f737424
gate    label   fword
gateofs dd      entry32
;= 00000000
gatesel dw      c32
;= 1b10
dseg    ends

c32     segment use32 para public 'code'
        assume cs:c32,ds:dseg
entry32 proc    far
        mov     ax,501h
;= 66b80105
        xor     bx,bx
;= 6633db
        mov     cx,8000h
;= 66b90080
        int     31h
;= cd31
        jc      short fail
;= 7220
        shl     ebx,16
;= c1e310
        mov     bx,cx
;= 668bd9
        mov     edi,ebx
;= 8bfb
        push    fs
;= 0fa0
        push    gs
;= 0fa8
        mov     ecx,2000h
;= b900200000
        xor     eax,eax
;= 33c0
        rep     stosd
;= f3ab
        pop     gs
;= 0fa9
        pop     fs
;= 0fa1
        jmp     cs:fword ptr [exitp]
;= 2eff2d36000000
fail:   mov     eax,4c02h
;= b8024c0000
        int     21h
;= cd21
exitp   dd      fail
;= 2f000000
        dw      0
;= 0000
entry32 endp
c32     ends

sseg    segment use16 stack para 'stack'
        db      STACKSIZE dup (?)
;= 4096 bytes, fa431dc5
sseg    ends
        end     start
