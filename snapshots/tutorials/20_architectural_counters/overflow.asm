; Every 100 instructions an interrupt says where the program is: a profile of three instructions.
        .586p
        .model  flat
        include perfmon.inc
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples dd      0
first   dd      0
second  dd      0
third   dd      0
        .code
APIC    equ     0FEE00000h
EVERY   equ     100

sample: pushad
        inc     samples
        mov     eax,[esp+32]
        cmp     eax,offset next
        jne     not_first
        inc     first
not_first:
        cmp     eax,offset then
        jne     not_second
        inc     second
not_second:
        cmp     eax,offset last
        jne     not_third
        inc     third
not_third:
        PM_Write IA32_PMC0,-EVERY,0
        RESET_COUNTER_OVERFLOW
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

start:  lidt    fword ptr limit
        mov     eax,offset sample
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        PM_Write IA32_PMC0,-EVERY,0
        PM_Write IA32_PERFEVTSEL0,<INSTRUCTIONS_RETIRED OR PERFEVTSEL_OS OR PERFEVTSEL_INT OR PERFEVTSEL_EN>,0
        mov     esi,10000
        sti
next:   add     eax,3
then:   dec     esi
last:   jnz     next
        cli
        PM_Write IA32_PERFEVTSEL0,0,0
        ret
        end     start
