; A program that samples itself: the 158th op behind the WRMSR that arms the sampler is the load of round 40, and the
; interrupt of its sample reads the registers and rearms. The first op is that of the instruction before the loop, and
; each of the four instructions of a round is one op.
; with monitor = ibs
; with runs = 1
; expect stop = return
; expect has_sampling = 1
; expect capabilities = 7807
; expect at_load = 1
; expect at_data = 1
; expect rounds = 40
; expect several = 1
; expect stopped = 1
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
image   dq      0
image3  dq      0
limit   dw      sizeof table - 1
        dd      offset table
datum          dd 0
samples        dd 0
has_sampling   dd 0
capabilities   dd 0
at_load        dd 0
at_data        dd 0
rounds         dd 0
several        dd 0
stopped        dd 0
        .code
APIC    equ     0FEE00000h
CONTROL equ     0C0011033h
; 10 * 16 dispatched ops, enabled.
ARMED   equ     0A000Ah
handler:
        pushad
        inc     samples
        cmp     samples,1
        jne     rearm
        mov     rounds,ebx
        mov     ecx,CONTROL+1
        rdmsr
        cmp     eax,offset load
        sete    byte ptr at_load
        mov     ecx,CONTROL+2
        rdmsr
        mov     dword ptr image,eax
        mov     dword ptr image+4,edx
        mov     ecx,CONTROL+4
        rdmsr
        mov     dword ptr image3,eax
        mov     dword ptr image3+4,edx
        mov     ecx,CONTROL+5
        rdmsr
        cmp     eax,offset datum
        sete    byte ptr at_data
        mov     ecx,CONTROL
        rdmsr
; Val is set, and the sampler has stopped.
        shr     eax,18
        and     eax,1
        mov     stopped,eax
rearm:  mov     ecx,CONTROL
        mov     eax,ARMED
        xor     edx,edx
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

start:  lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        mov     eax,80000001h
        cpuid
        shr     ecx,10
        and     ecx,1
        mov     has_sampling,ecx
        mov     eax,8000001Bh
        cpuid
        mov     capabilities,eax
        xor     ebx,ebx
        sti
; The current count begins with 2.
        mov     ecx,CONTROL
        mov     eax,ARMED
        mov     edx,2
        wrmsr
        mov     esi,400
load:   mov     eax,datum
        inc     ebx
        dec     esi
        jnz     load
        mov     ecx,CONTROL
        xor     eax,eax
        xor     edx,edx
        wrmsr
        cli
        cmp     samples,2
        setae   byte ptr several
        ret
        end     start
