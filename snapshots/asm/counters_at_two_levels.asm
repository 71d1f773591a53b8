; Counters that count at level 3, at level 0, at both and at neither, while a program goes to level 3 by IRETD and
; comes back through a gate: the general ones by USR and OS, the fixed ones by their bits, and the Pentium's own two.
; At level 3 are 2 instructions before the loop, 100 in it, and INT; at level 0 are 5 PUSH, IRETD, and the 4 that
; stop. The Pentium's own counters start 4 instructions earlier and stop 4 later.
; with monitor = perfmon
; with runs = 1
; expect stop = return
; expect user = 103
; expect system = 10
; expect both = 113
; expect neither = 0
; expect fixed_user = 103
; expect fixed_system = 10
; expect fixed_both = 113
; expect clocks_user = 300
; expect clocks_sum = 363
; expect clocks_both = 363
; expect own_user = 103
; expect own_system = 18
; expect own_both = 121
        .586p
        .model  flat
        include perfmon.inc
        .data
        align   8
gdt     dq 0
        dq 0CF9A000000FFFFh, 0CF92000000FFFFh, 0CFFA000000FFFFh, 0CFF2000000FFFFh
task_at dd 67h, 8900h
gdtr    dw 47
        dd offset gdt
idt     dq 31h dup(0)
idtr    dw sizeof idt - 1
        dd offset idt
task    dd 26 dup(0)
        dd 256 dup(0)
user_stack     label dword
user           dd 0
system         dd 0
both           dd 0
neither        dd 0
fixed          dd 0
fixed_user     dd 0
fixed_system   dd 0
fixed_both     dd 0
clocks         dd 0
clocks_user    dd 0
clocks_system  dd 0
clocks_both    dd 0
clocks_sum     dd 0
own_user       dd 0
own_system     dd 0
own_both       dd 0
        .code
COUNTED equ     INSTRUCTIONS_RETIRED OR PERFEVTSEL_EN
; INSTRUCTIONS_EXECUTED of the Pentium's counter at level 3 and at levels 0 to 2.
EXECUTED_USER   equ 16h + 80h
EXECUTED_SYSTEM equ 16h + 40h
EXECUTED_BOTH   equ 16h + 0C0h
get     macro   register, figure
        mov     ecx,register
        rdmsr
        mov     figure,eax
        endm

; Goes to level 3 and back, with the fixed counters' bits EBP and the Pentium's counters selected by EDI.
visit   proc
        mov     task[4],esp
        RESET_PMC
        RESET_FIXED_PMC
        PM_Write IA32_PERF_GLOBAL_CTRL,0,0
        PM_Write 12h,0,0
        PM_Write 13h,0,0
        PM_Write IA32_FIXED_CTR_CTRL,ebp,0
        PM_Write 11h,edi,0
        PM_Write IA32_PERF_GLOBAL_CTRL,15,7
        push    23h
        push    offset user_stack
        push    2
        push    1Bh
        push    offset at_user
        iretd
at_user:
        mov     ecx,50
        nop
round:  dec     ecx
        jnz     round
        int     30h
at_gate:
        PM_Write IA32_PERF_GLOBAL_CTRL,0,0
        PM_Write 11h,0,0
        add     esp,20
        mov     ax,10h
        mov     ds,ax
        mov     es,ax
        get     IA32_PMC0,user
        get     IA32_PMC1,system
        get     IA32_PMC2,both
        get     IA32_PMC3,neither
        get     IA32_FIXED_CTR0,fixed
        get     IA32_FIXED_CTR1,clocks
        ret
visit   endp

start:  mov     ebx,esp
        lgdt    fword ptr gdtr
        lidt    fword ptr idtr
        mov     eax,offset task
        mov     word ptr task_at+2,ax
        shr     eax,16
        mov     byte ptr task_at+4,al
        mov     byte ptr task_at+7,ah
        mov     task[8],10h
        mov     eax,offset at_gate
        mov     word ptr idt[30h*8],ax
        mov     word ptr idt[30h*8+2],8
        mov     word ptr idt[30h*8+4],0EE00h
        shr     eax,16
        mov     word ptr idt[30h*8+6],ax
        mov     ax,28h
        ltr     ax
        mov     ax,10h
        mov     ss,ax
        db      0EAh
        dd      offset own_code
        dw      8
own_code:
        mov     ax,10h
        mov     ds,ax
        mov     es,ax
        PM_Write IA32_PERFEVTSEL0,<COUNTED OR PERFEVTSEL_USR>,0
        PM_Write IA32_PERFEVTSEL1,<COUNTED OR PERFEVTSEL_OS>,0
        PM_Write IA32_PERFEVTSEL2,<COUNTED OR PERFEVTSEL_USR OR PERFEVTSEL_OS>,0
        PM_Write IA32_PERFEVTSEL3,COUNTED,0
; Some times for the caches and the prediction of branches.
        mov     esi,4
warm:   mov     ebp,33h
        mov     edi,EXECUTED_BOTH
        call    visit
        dec     esi
        jnz     warm
        mov     ebp,22h
        mov     edi,EXECUTED_USER + EXECUTED_SYSTEM * 10000h
        call    visit
        mov     eax,fixed
        mov     fixed_user,eax
        mov     eax,clocks
        mov     clocks_user,eax
        get     12h,own_user
        get     13h,own_system
        mov     ebp,11h
        mov     edi,EXECUTED_BOTH
        call    visit
        mov     eax,fixed
        mov     fixed_system,eax
        mov     eax,clocks
        mov     clocks_system,eax
        get     12h,own_both
        mov     ebp,33h
        call    visit
        mov     eax,fixed
        mov     fixed_both,eax
        mov     eax,clocks
        mov     clocks_both,eax
        mov     eax,clocks_user
        add     eax,clocks_system
        mov     clocks_sum,eax
        ret
        end     start
