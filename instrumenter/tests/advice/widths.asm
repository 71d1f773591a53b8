; A program starts in 16 bits and computes in 32: each loop is read in the width of its segment.
.386p
code    segment para public use16 'CODE'
        assume  cs:code, ds:code
table   dq      0
wide    dw      0FFFFh, 0
        db      0, 9Ah, 40h, 0
flat    dw      0FFFFh, 0
        db      0, 92h, 0CFh, 0
narrow  dw      0FFFFh, 0
        db      0, 9Ah, 0, 0
limit   dw      31
base    dd      0
found   dd      0
words   dw      64 dup (3)
start:  mov     ax,cs
        mov     ds,ax
        movzx   eax,ax
        shl     eax,4
        mov     narrow+2,ax
        mov     ebx,eax
        shr     ebx,16
        mov     byte ptr narrow+4,bl
        lea     ecx,[eax+offset table]
        mov     base,ecx
        lea     edi,[eax+offset words]
        xor     eax,eax
        mov     ax,code32
        shl     eax,4
        mov     wide+2,ax
        shr     eax,16
        mov     byte ptr wide+4,al
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
        cli
        lgdt    fword ptr limit
        mov     eax,cr0
        or      al,1
        mov     cr0,eax
        jmp     8:protected
back:   mov     eax,cr0
        and     al,0FEh
        mov     cr0,eax
        jmp     far ptr real
real:   mov     ax,cs
        mov     ds,ax
        mov     ax,4C09h
        int     21h
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
        jmp     18h:back
code32  ends
        end     start
