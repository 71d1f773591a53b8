; With a local APIC, HLT waits for its timer, if interrupts are enabled. The time stamp counter goes on meanwhile, the
; counters of core and reference clocks do not. With interrupts disabled, HLT ends the run.
; with monitor = perfmon
; expect stop = halt
; expect woken = 1
; expect time_goes_on = 1
; expect counters_stop = 1
; expect core = 1
        .586p
        .model  flat
        include perfmon.inc
WAIT_FOR equ    100000
        .data
        align   8
table   dq      42h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
first   dd      0
woken   dd      0
time_goes_on  dd 0
counters_stop dd 0
core    dd      0
        .code
APIC    equ     0FEE00000h
handler:
        inc     woken
        mov     dword ptr ds:[APIC+0B0h],0
        iretd

start:  lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*41h],ax
        mov     word ptr table[8*41h+2],cs
        mov     word ptr table[8*41h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*41h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+3E0h],0Bh
        mov     dword ptr ds:[APIC+320h],41h
        RESET_FIXED_PMC
        PM_Write IA32_FIXED_CTR_CTRL,330h,0
        ENABLE_COUNTER 0,<IA32_FIXED_CTR1_EN OR IA32_FIXED_CTR2_EN>
        rdtsc
        mov     first,eax
        mov     dword ptr ds:[APIC+380h],WAIT_FOR
        sti
        hlt
        cli
        DISABLE_GLOBAL_COUNTER
        rdtsc
        sub     eax,first
        cmp     eax,WAIT_FOR
        setae   byte ptr time_goes_on
        mov     ecx,IA32_FIXED_CTR2
        rdmsr
        cmp     eax,1000
        setb    byte ptr counters_stop
        mov     ebx,eax
        mov     ecx,IA32_FIXED_CTR1
        rdmsr
        cmp     eax,ebx
        sete    byte ptr core
        hlt
        end     start
