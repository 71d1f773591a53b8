; The time stamp counter beside the counters of clocks that are not halted: around work, and around work and a HLT.
        .586p
        .model  flat
        include perfmon.inc
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
started dd      0
        .code
APIC    equ     0FEE00000h

; Prints the clocks since `started`, and the fixed counters' core and reference clocks.
show:   sub     eax,started
        mov     esi,eax
        call    print_dword_decimal
        call    println
        mov     ecx,IA32_FIXED_CTR1
        rdmsr
        mov     esi,eax
        call    print_dword_decimal
        call    println
        mov     ecx,IA32_FIXED_CTR2
        rdmsr
        mov     esi,eax
        call    print_dword_decimal
        call    println
        ret

begin   macro
        RESET_FIXED_PMC
        ENABLE_COUNTER 0,7
        rdtsc
        mov     started,eax
        endm

work:   mov     esi,offset table
        mov     ecx,1000
next:   add     eax,[esi]
        dec     ecx
        jnz     next
        ret

; The timer's handler only says that it is done.
awake:  mov     dword ptr ds:[APIC+0B0h],0
        iretd

start:  lidt    fword ptr limit
        mov     eax,offset awake
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
; The local APIC is enabled, its timer divides by 1 and interrupts at vector 40h.
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+3E0h],0Bh
        mov     dword ptr ds:[APIC+320h],40h
        PM_Write IA32_FIXED_CTR_CTRL,333h,0

        begin
        call    work
        DISABLE_GLOBAL_COUNTER
        rdtsc
        call    show

        begin
        call    work
        mov     dword ptr ds:[APIC+380h],50000
        sti
        hlt
        cli
        DISABLE_GLOBAL_COUNTER
        rdtsc
        call    show
        ret
        end     start
