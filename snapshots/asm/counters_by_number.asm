; RDPMC reads a counter of the Pentium with MMX at privilege level 0. Counter 1 counts MMX instructions in V, of which
; the second of each pair is one, and counter 0 those in U.
; with cpu = p55c
; expect in_u = 2
; expect in_v = 1
; expect upper = 0
; expect stop = return
        .586
        .mmx
        .model  flat
        .data
in_u    dd      0
in_v    dd      0
upper   dd      0
        .code
start:
        mov     ecx,11h
        xor     edx,edx
        mov     eax,(40h+EV_MMX_INSTRUCTIONS_EXECUTED_V_PIPE) shl 16 or (40h+EV_MMX_INSTRUCTIONS_EXECUTED_U_PIPE)
        wrmsr
        mov     ecx,0
        rdpmc
        mov     in_u,eax
        mov     ecx,1
        rdpmc
        mov     in_v,eax
        not     ebp
        paddb   mm0,mm1
        paddb   mm2,mm3
        paddb   mm4,mm5
        xor     ecx,ecx
        rdpmc
        sub     eax,in_u
        mov     in_u,eax
        inc     ecx
        rdpmc
        sub     eax,in_v
        mov     in_v,eax
        mov     upper,edx
        emms
        ret
        end     start
