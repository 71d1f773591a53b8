; Sorts pseudo-random numbers and follows pointers through them, compiled from sort_and_chase.c, which says how.
; Its branches are not predictable from a loop: a benchmark for code that no schedule can run ahead in.
        .586
        .model flat
ROUNDS  equ     40
        .data
seed    dd      1
sum     dd      ?
        align   32
nodes   dd      2*4096 dup(?)
keys    dd      4096 dup(?)
        .code
start:  push    ROUNDS
        call    sort_and_chase
        add     esp,4
        mov     sum,eax
        ret
        align   16
sort:
        push    ebp
        mov     ebp,edx
        push    edi
        mov     edi,eax
        push    esi
        mov     eax,edx
        push    ebx
        sub     eax,edi
        sub     esp,28
        cmp     eax,32
        jle     L18
        lea     esi,[edx-4]
        mov     dword ptr [esp+12],esi
L10:
        sar     eax,3
        mov     ebx,edi
        mov     ecx,dword ptr [edi+eax*4]
        mov     eax,dword ptr [esp+12]
L3:
        cmp     eax,ebx
        jb      L8
        mov     edx,dword ptr [ebx]
        mov     esi,dword ptr [eax]
        cmp     edx,ecx
        jnb     L33
        align   8
L4:
        mov     edx,dword ptr [ebx+4]
        add     ebx,4
        cmp     edx,ecx
        jb      L4
        cmp     ecx,esi
        jnb     L34
        align   8
L6:
        mov     esi,dword ptr [eax-4]
        sub     eax,4
        cmp     ecx,esi
        jb      L6
L34:
        cmp     eax,ebx
        jnb     L17
L8:
        lea     edx,[eax+4]
        mov     eax,edi
        call    sort
        mov     eax,ebp
        sub     eax,ebx
        cmp     eax,32
        jle     L2
        mov     edi,ebx
        jmp     L10
        align   8
L33:
        cmp     ecx,esi
        jb      L6
L17:
        mov     dword ptr [ebx],esi
        sub     eax,4
        mov     dword ptr [eax+4],edx
        add     ebx,4
        jmp     L3
L18:
        mov     ebx,edi
L2:
        lea     esi,[ebx+4]
        cmp     esi,ebp
        jnb     L1
        align   8
L11:
        mov     ecx,dword ptr [esi]
        mov     eax,esi
        cmp     ebx,esi
        jb      L12
        jmp     L13
        align   8
L14:
        mov     dword ptr [eax],edx
        sub     eax,4
        cmp     ebx,eax
        jnb     L13
L12:
        mov     edx,dword ptr [eax-4]
        cmp     ecx,edx
        jb      L14
L13:
        add     esi,4
        mov     dword ptr [eax],ecx
        cmp     esi,ebp
        jb      L11
L1:
        add     esp,28
        pop     ebx
        pop     esi
        pop     edi
        pop     ebp
        ret
        align   16
sort_and_chase:
        push    edi
        push    esi
        push    ebx
        mov     eax,dword ptr [esp+16]
        test    eax,eax
        je      L43
        lea     esi,[eax-1]
        mov     ebx,dword ptr seed
        xor     edi,edi
L37:
        xor     edx,edx
        align   8
L38:
        lea     eax,[ebx+ebx*2]
        lea     eax,[ebx+eax*4]
        shl     eax,8
        add     eax,ebx
        lea     eax,[eax+eax*4]
        lea     eax,[ebx+eax*4]
        lea     eax,[eax+eax*4]
        lea     ebx,[eax+1013904223+eax*4]
        mov     eax,ebx
        shr     eax,8
        mov     dword ptr keys[0+edx*4],eax
        inc     edx
        cmp     edx,4096
        jne     L38
        mov     edx,offset keys+16384
        mov     eax,offset keys
        mov     dword ptr seed,ebx
        call    sort
        mov     edx,1
        xor     eax,eax
        align   8
L39:
        mov     ecx,dword ptr keys[0+eax*4]
        mov     dword ptr nodes[4+eax*8],ecx
        mov     ecx,edx
        and     ecx,4095
        add     edx,1237
        lea     ecx,nodes[0+ecx*8]
        mov     dword ptr nodes[0+eax*8],ecx
        inc     eax
        cmp     eax,4096
        jne     L39
        mov     ecx,16384
        mov     edx,offset nodes
        jmp     L42
        align   8
L52:
        add     edi,eax
        dec     ecx
        mov     edx,dword ptr [edx]
        je      L51
L42:
        mov     eax,dword ptr [edx+4]
        test    al,1
        jne     L52
        shr     eax,3
        mov     edx,dword ptr [edx]
        xor     edi,eax
        dec     ecx
        jne     L42
L51:
        sub     esi,1
        jnb     L37
        pop     ebx
        mov     eax,edi
        pop     esi
        pop     edi
        ret
L43:
        pop     ebx
        xor     edi,edi
        pop     esi
        mov     eax,edi
        pop     edi
        ret
        end     start
