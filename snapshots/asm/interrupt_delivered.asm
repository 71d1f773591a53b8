; The delivery of an exception takes the place of the instruction that raises it, and that of an interrupt comes before
; the one that it interrupts: both count as instructions, as in event 16h, and their clocks beyond the issue have a
; cause of their own: 4 times 26. INT n is an instruction, whose clocks are execution.
; with monitor = perfmon
; with runs = 1
; expect stop = return
; expect divided = 3
; expect asked = 2
; expect ticks = 1
; expect clocks of interrupt = 104
; expect instructions = 87
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
divided dd      0
asked   dd      0
ticks   dd      0
        .code
APIC    equ     0FEE00000h

; Makes a gate lead to a handler.
gate    macro   number,handler
        mov     eax,offset handler
        mov     word ptr table[8*number],ax
        mov     word ptr table[8*number+2],cs
        mov     word ptr table[8*number+4],8E00h
        shr     eax,16
        mov     word ptr table[8*number+6],ax
        endm

; DIV has two bytes.
by_zero:
        inc     divided
        add     dword ptr [esp],2
        iretd
request:
        inc     asked
        iretd
tick:   inc     ticks
        mov     dword ptr ds:[APIC+0B0h],0
        iretd

start:  lidt    fword ptr limit
        gate    0,by_zero
        gate    30h,request
        gate    40h,tick
        xor     ecx,ecx
        mov     esi,3
again:  div     ecx
        dec     esi
        jnz     again
        int     30h
        int     30h
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+320h],40h
        sti
        mov     dword ptr ds:[APIC+380h],50
waits:  cmp     ticks,1
        jb      waits
        cli
        ret
        end     start
