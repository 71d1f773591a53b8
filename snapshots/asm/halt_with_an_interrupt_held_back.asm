; HLT ends the run if the interrupt that the timer of the local APIC will ask for cannot be delivered: the priority of
; the task is above that of its vector.
; with monitor = perfmon
; expect stop = halt
; expect woken = 0
; expect behind = 0
        .586p
        .model  flat
        .data
        align   8
table   dq      42h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
woken   dd      0
behind  dd      0
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
        mov     dword ptr ds:[APIC+80h],0F0h
        mov     dword ptr ds:[APIC+320h],41h
        mov     dword ptr ds:[APIC+380h],1000
        sti
        hlt
        inc     behind
        ret
        end     start
