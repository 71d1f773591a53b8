; The entry of the counters with delivery mode NMI (bits 10:8 are 100b): the interrupt has vector 2 and comes although
; interrupts are off. It is not in service, and needs no end of interrupt. The handler unmasks the entry and lets the
; counter overflow again, which waits for its IRETD: the second interrupt comes behind that and not in the handler.
; With mode 011b, which is reserved, the entry interrupts nobody.
; with monitor = perfmon
; with runs = 1
; expect stop = return
; expect interrupts = 2
; expect nested = 0
; expect rounds = 33
; expect second_at = 1
; expect in_service = 0
; expect reserved = 0
        .586p
        .model  flat
        include perfmon.inc
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
interrupts     dd 0
inside         dd 0
nested         dd 0
rounds         dd 0
first_at       dd 0
second_at      dd 0
in_service     dd 9
reserved       dd 9
        .code
APIC    equ     0FEE00000h
handler:
        pushad
        inc     interrupts
        mov     eax,inside
        add     nested,eax
        cmp     interrupts,1
        jne     second
        mov     inside,1
        mov     rounds,ebx
        mov     eax,[esp+32]
        mov     first_at,eax
        mov     eax,ds:[APIC+100h]
        mov     in_service,eax
        mov     dword ptr ds:[APIC+340h],400h
        PM_Write IA32_FIXED_CTR0,<-5>,0FFFFh
        rept    20
        nop
        endm
        mov     inside,0
        jmp     done
; It comes before the interrupted program goes on.
second: mov     eax,[esp+32]
        cmp     eax,first_at
        sete    byte ptr second_at
done:   popad
        iretd

start:  cli
        lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*2],ax
        mov     word ptr table[8*2+2],cs
        mov     word ptr table[8*2+4],8E00h
        shr     eax,16
        mov     word ptr table[8*2+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],400h
        RESET_COUNTER_OVERFLOW
        PM_Write IA32_FIXED_CTR0,<-100>,0FFFFh
        PM_Write IA32_FIXED_CTR_CTRL,0Bh,0
        xor     ebx,ebx
        ENABLE_COUNTER 0,IA32_FIXED_CTR0_EN
        mov     esi,200
round:  inc     ebx
        dec     esi
        jnz     round
        DISABLE_GLOBAL_COUNTER
        mov     eax,interrupts
        mov     dword ptr ds:[APIC+340h],300h
        PM_Write IA32_FIXED_CTR0,<-5>,0FFFFh
        ENABLE_COUNTER 0,IA32_FIXED_CTR0_EN
        mov     esi,20
again:  dec     esi
        jnz     again
        DISABLE_GLOBAL_COUNTER
        mov     eax,interrupts
        sub     eax,2
        mov     reserved,eax
        ret
        end     start
