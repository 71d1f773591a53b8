; IbsOpCntCtl: dispatched ops are sampled as often as they are executed; with clocks, the group that comes behind a wait
; is sampled more often, and an attempt without a group of ops in 8 clocks is dropped.
; One op of eight in the loop is ADD ESI, which enters D1 when the load that misses leaves EX. The handler writes the
; current count back as the sampler left it, with its random bits.
; with monitor = ibs
; with memory = dram
; with runs = 1
; expect stop = return
; expect op_samples = 2463
; expect op_behind = 289
; expect clock_samples = 3811
; expect clock_behind = 1014
; expect taken = 13
; expect dropped = 37
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples        dd 0
behind         dd 0
control        dd 0
op_samples     dd 0
op_behind      dd 0
clock_samples  dd 0
clock_behind   dd 0
taken          dd 0
dropped        dd 0
        align   32
far_data       dd 20000h dup(1)
        .code
APIC    equ     0FEE00000h
OPS     equ     0C0011033h
; 8 * 16 ops or clocks, enabled; dispatched ops are counted.
OPS_ON  equ     20008h
DISPATCHED equ  80000h
; 4096 * 16 clocks, enabled.
LONG    equ     21000h
handler:
        pushad
        inc     samples
        mov     ecx,OPS+1
        rdmsr
        cmp     eax,offset behind_wait
        jne     other
        inc     behind
other:  mov     ecx,OPS
        rdmsr
        mov     eax,control
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

; Samples the loop.
measure proc
        mov     control,eax
        mov     samples,0
        mov     behind,0
        mov     ecx,OPS
        xor     edx,edx
        wrmsr
        mov     esi,offset far_data
        mov     ebp,4000h
next:   mov     eax,[esi]
        add     ebx,eax
        inc     ecx
        inc     ecx
        inc     ecx
behind_wait:
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
        mov     eax,OPS_ON+DISPATCHED
        call    measure
        mov     eax,samples
        mov     op_samples,eax
        mov     eax,behind
        mov     op_behind,eax
        mov     eax,OPS_ON
        call    measure
        mov     eax,samples
        mov     clock_samples,eax
        mov     eax,behind
        mov     clock_behind,eax
        cli
; The period ends 1 to 50 clocks behind the WRMSR, and a group comes within 8 clocks only for the first ones,
; and for those before DIV ends.
        mov     esi,1
one:    mov     ecx,OPS
        mov     eax,LONG
        mov     edx,10000h
        sub     edx,esi
        wrmsr
        xor     edx,edx
        mov     eax,edx
        div     esi
        rept    6
        nop
        endm
        rdmsr
        shr     eax,19
        adc     taken,0
        inc     esi
        cmp     esi,50
        jbe     one
        mov     eax,50
        sub     eax,taken
        mov     dropped,eax
        xor     eax,eax
        xor     edx,edx
        wrmsr
        ret
        end     start
