; Counters that are preset to -k overflow after exactly k events, set their bit of the status and interrupt once: the
; entry of the local APIC's table is masked by the interrupt, until the handler unmasks it. The handler finds the
; address behind the k-th instruction on its stack. IA32_PERF_GLOBAL_OVF_CTRL clears the bits it names and no other.
; with monitor = perfmon
; expect stop = return
; expect interrupts = 2
; expect behind = 1
; expect status_general = 2
; expect status_fixed = 1
; expect status_after = 1
; expect rounds_before = 33
; expect masked = 65600
        .586p
        .model  flat
        include perfmon.inc
; The 100 instructions after which the first interrupt comes: the counters' WRMSR, 1 of the loop's set-up, 33 rounds.
FIRST   equ     100
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
interrupts     dd 0
behind         dd 0
status_general dd 0
status_fixed   dd 0
status_after   dd 0
rounds_before  dd 0
masked         dd 0
        .code
APIC    equ     0FEE00000h
handler:
        pushad
        inc     interrupts
        mov     eax,ds:[APIC+340h]
        mov     masked,eax
        mov     ecx,IA32_PERF_GLOBAL_STATUS
        rdmsr
        cmp     interrupts,1
        jne     second
        mov     status_fixed,edx
        mov     rounds_before,ebx
; Behind the last instruction of a round: at the first one of the next.
        cmp     dword ptr [esp+32],offset next
        sete    byte ptr behind
        jmp     done
second: mov     status_general,eax
; Only the general counter's bit is cleared: that of the fixed counter stays.
        mov     ecx,IA32_PERF_GLOBAL_OVF_CTRL
        mov     eax,2
        xor     edx,edx
        wrmsr
        mov     ecx,IA32_PERF_GLOBAL_STATUS
        rdmsr
        mov     status_after,edx
        or      status_after,eax
done:   mov     dword ptr ds:[APIC+340h],40h
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
        RESET_COUNTER_OVERFLOW
; 1 instruction before the loop and 33 rounds of 3.
        PM_Write IA32_FIXED_CTR0,<-FIRST>,0FFFFh
        PM_Write IA32_FIXED_CTR_CTRL,0Bh,0
        xor     ebx,ebx
        sti
        ENABLE_COUNTER 0,IA32_FIXED_CTR0_EN
        mov     esi,200
next:   inc     ebx
        dec     esi
        jnz     next
        DISABLE_GLOBAL_COUNTER
; 50 branches, by the second general counter.
        PM_Write IA32_PMC1,-50,0
        PM_Write IA32_PERFEVTSEL1,<BRANCHES_RETIRED OR PERFEVTSEL_USR OR PERFEVTSEL_OS OR PERFEVTSEL_INT OR PERFEVTSEL_EN>,0
        ENABLE_COUNTER IA32_PMC1_EN,0
        mov     esi,60
more:   dec     esi
        jnz     more
        DISABLE_GLOBAL_COUNTER
        cli
        ret
        end     start
