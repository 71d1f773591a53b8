; Two samplers and a counter want the one interrupt of the table's entry. While interrupts are off all three are due:
; there is one interrupt, whose handler finds both samples and the overflow. The entry is masked by it, so that what is
; due before the handler unmasks it does not interrupt again; what is due behind that does.
; with monitor = ibs
; with monitor = perfmon
; with runs = 1
; expect stop = return
; expect held_back = 0
; expect first_op = 1
; expect first_fetch = 1
; expect first_counter = 1
; expect lost_op = 1
; expect lost = 1
; expect again = 2
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
interrupts     dd 0
held_back      dd 9
first_op       dd 0
first_fetch    dd 0
first_counter  dd 0
lost           dd 0
lost_op        dd 0
again          dd 0
        .code
APIC    equ     0FEE00000h
FETCHES equ     0C0011030h
OPS     equ     0C0011033h
; 16 ops, dispatched, enabled; 16 fetches, enabled.
OPS_ON  equ     0A0001h
FETCH_ON equ    10000h

put     macro   register, low, high
        mov     ecx,register
        mov     eax,low
        mov     edx,high
        wrmsr
        endm

handler:
        pushad
        inc     interrupts
        cmp     interrupts,1
        jne     done
        mov     ecx,OPS
        rdmsr
        shr     eax,18
        and     eax,1
        mov     first_op,eax
        mov     ecx,FETCHES
        rdmsr
        shr     edx,17
        and     edx,1
        mov     first_fetch,edx
        mov     ecx,38Eh
        rdmsr
        mov     first_counter,edx
; A sample while the entry is masked.
        put     OPS,OPS_ON,0
        rept    20
        nop
        endm
        mov     ecx,OPS
        rdmsr
        shr     eax,18
        and     eax,1
        mov     lost_op,eax
done:   mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

start:  cli
        lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        put     309h,<-20>,0FFFFh
        put     38Dh,0Bh,0
        put     OPS,OPS_ON,0
        put     FETCHES,1,FETCH_ON
        put     38Fh,0,1
        mov     esi,100
round:  dec     esi
        jnz     round
        mov     eax,interrupts
        mov     held_back,eax
        sti
        nop
        nop
; The sample that was taken while the entry was masked did not interrupt.
        mov     eax,interrupts
        mov     lost,eax
; The next does.
        put     OPS,OPS_ON,0
        mov     esi,100
round_2:
        dec     esi
        jnz     round_2
        mov     eax,interrupts
        mov     again,eax
        put     OPS,0,0
        put     FETCHES,0,0
        put     38Fh,0,0
        cli
        ret
        end     start
