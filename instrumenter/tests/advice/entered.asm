; Another index leads into the block: what is behind `l0+8` is never before it.
        .586
        .data
sel     dd 0
tab     dd l0,l0+8
v       dd 7
w       dd 9
        .code
start:  mov ecx,100
        mov edx,5
        mov ebx,7
        mov eax,[sel]
        jmp dword ptr [tab+eax*4]
l0:     mov eax,[v]
        add eax,1
        mov ebx,[w]
        add ebx,2
        mov [v],eax
        mov [w],ebx
        dec ecx
        jnz l0
        ret
        end start
