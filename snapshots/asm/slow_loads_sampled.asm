; Load latency: IbsLdLatEn leaves loads that missed and waited at least (IbsLdLatThrsh + 1) * 128 clocks. The slowest
; load of this memory waits for fewer, so that the filter leaves none of them; without it there are many.
; with monitor = ibs
; with memory = dram
; with runs = 1
; expect stop = return
; expect all_samples = 5274
; expect all_slowest = 16
; expect slow_samples = 0
; expect none_samples = 0
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples        dd 0
slowest        dd 0
all_samples    dd 0
all_slowest    dd 0
control        dd 0
slow_samples   dd 0
none_samples   dd 0
        align   32
far_data       dd 20000h dup(1)
        .code
APIC    equ     0FEE00000h
OPS     equ     0C0011033h
; 64 ops, dispatched, enabled.
OPS_ON  equ     0A0004h
; Of the high half: the filter, the least latency.
LATENCY equ     80000000h
LEAST   equ     8000000h
handler:
        pushad
        inc     samples
        mov     ecx,OPS+4
        rdmsr
        test    al,1
        jz      rearm
; The latency of the data cache's miss.
        movzx   eax,dx
        cmp     eax,slowest
        jbe     rearm
        mov     slowest,eax
; With the random bits of the current count.
rearm:  mov     ecx,OPS
        rdmsr
        mov     eax,OPS_ON
        and     edx,7Fh
        or      edx,control
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

; Reads and changes memory with this high half of the control.
measure proc
        mov     control,edx
        mov     samples,0
        mov     slowest,0
        mov     ecx,OPS
        mov     eax,OPS_ON
        wrmsr
        mov     esi,offset far_data+30
        mov     ebp,3FFFh
next:   mov     dword ptr far_data,eax
        mov     dword ptr far_data+4,eax
        mov     eax,[esi]
        mov     [esi],eax
        add     esi,32
        dec     ebp
        jnz     next
        mov     ecx,OPS
        xor     eax,eax
        xor     edx,edx
        wrmsr
        ret
measure endp

start:  lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        sti
        xor     edx,edx
        call    measure
        mov     eax,samples
        mov     all_samples,eax
        mov     eax,slowest
        mov     all_slowest,eax
        mov     edx,LATENCY
        call    measure
        mov     eax,samples
        mov     slow_samples,eax
        mov     edx,LATENCY+15*LEAST
        call    measure
        mov     eax,samples
        mov     none_samples,eax
        cli
        ret
        end     start
