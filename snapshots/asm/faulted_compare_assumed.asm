; A repeated comparison that faults, on a processor that leaves the flags of the last comparison that was done: equal,
; without a borrow. Memory ends below the stack at 300000h; what is compared with itself is equal.
; with assume = faulted_compare=last
; expect line = assuming faulted_compare=last
; expect stop = halt
; expect left = 10000
; expect kept = 40h
.586p
.model flat
.data
align 8
gdt         dq 0
            dw 0FFFFh, 0, 9A00h, 0CFh   ; 08h: code
            dw 0FFFFh, 0, 9200h, 0CFh   ; 10h: data
gdtr        dw 17h
            dd offset gdt
idt         dq 15 dup(0)
idtr        dw 15*8-1
            dd offset idt
left        dd 0
kept        dd 0
.code
start:      mov     eax,offset fault
            mov     word ptr idt[14*8],ax
            mov     word ptr idt[14*8+2],8
            mov     word ptr idt[14*8+4],8E00h
            shr     eax,16
            mov     word ptr idt[14*8+6],ax
            lgdt    fword ptr gdtr
            lidt    fword ptr idtr
            mov     esi,300000h+70000-1
            mov     edi,esi
            mov     ecx,80000
            or      eax,1
            std
            stc
            repe    cmpsb
            hlt
fault:      mov     left,ecx
            mov     eax,[esp+12]
            and     eax,41h                 ; ZF and CF
            mov     kept,eax
            hlt
            end     start
