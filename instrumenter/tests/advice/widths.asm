; A program starts in 16 bits and computes in 32, where it halts: each loop is read in the width of its segment.
.386p
code    segment para public use16 'CODE'
        assume  cs:code, ds:code
table   dq      0
wide    dw      0FFFFh, 0
        db      0, 9Ah, 40h, 0
flat    dw      0FFFFh, 0
        db      0, 92h, 0CFh, 0
limit   dw      23
base    dd      0
words   dw      64 dup (3)
start:  push    cs
        pop     ds
        xor     edx,edx
        mov     dx,cs
        shl     edx,4
        lea     edi,[edx+offset words]
        lea     ecx,[edx+offset table]
        mov     base,ecx
        mov     si,offset words
        mov     cx,64
        xor     dx,dx
short_: mov     ax,[si]
        add     dx,ax
        add     si,2
        mov     bx,ax
        add     bx,300h
        dec     cx
        jnz     short_
        xor     eax,eax
        mov     ax,code32
        shl     eax,4
        mov     wide+2,ax
        shr     eax,16
        mov     byte ptr wide+4,al
        cli
        lgdt    fword ptr limit
        mov     eax,1
        mov     cr0,eax
        jmp     8:protected
code    ends

code32  segment para public use32 'CODE'
        assume  cs:code32, ds:nothing
protected:
        mov     ax,10h
        mov     ds,ax
        mov     ecx,64
        xor     edx,edx
long_:  mov     eax,[edi]
        add     edx,eax
        add     edi,2
        mov     ebx,eax
        add     ebx,12345678h
        dec     ecx
        jnz     long_
        hlt
code32  ends
        end     start
