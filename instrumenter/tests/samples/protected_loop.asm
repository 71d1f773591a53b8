; A program that starts in 16 bits, and spends its time in a loop of a 32-bit segment.
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
again   db      0
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
        lea     ecx,[eax+offset found]
        mov     edi,ecx
        xor     eax,eax
        mov     ax,code32
        shl     eax,4
        mov     wide+2,ax
        shr     eax,16
        mov     byte ptr wide+4,al
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
        mov     again,77
        mov     ax,4C09h
        int     21h
code    ends

code32  segment para public use32 'CODE'
        assume  cs:code32, ds:nothing
        db      5 dup (90h)
protected:
        mov     ax,10h
        mov     ds,ax
        mov     ecx,20000
lp32:   add     eax,12345678h
        mov     edx,[edi+4096]
        add     edi,32
        imul    edx,eax
        lea     ebx,[edi+ecx*4+1234h]
        mov     esi,[ebx+8]
        dec     ecx
        jnz     lp32
        sub     edi,20000*32
        mov     dword ptr [edi],12345678h
        jmp     18h:back
code32  ends
        end     start
