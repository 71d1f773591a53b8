; A repeated comparison that faults leaves its completed iterations in the registers, and the flags from before it, as
; the manual says, however many iterations there were; from where a handler comes back to, it begins anew.
; expect stop = halt
; expect left = 10000
; expect address = 2FFFFFh
; expect kept = 1
; expect second_left = 9999
; expect second_kept = 40h
; expect one_kept = 1
.586p
.model flat
; Memory ends below the stack at 300000h. What is compared with itself is equal.
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
address     dd 0
kept        dd 0
second_left dd 0
second_kept dd 0
one_kept    dd 0
.code
lowest      equ 300000h
flags       equ 41h                     ; ZF and CF

; The carry flag is set and the zero flag clear, and then all iterations but the last ones are equal.
compare     macro   elements, count, what
            mov     esi,lowest+elements-1
            mov     edi,esi
            mov     ecx,count
            or      eax,1
            std
            stc
            what
            endm

; The next fault comes to `handler`.
faults_to   macro   handler
            mov     eax,offset handler
            mov     word ptr idt[14*8],ax
            shr     eax,16
            mov     word ptr idt[14*8+6],ax
            endm

start:      mov     word ptr idt[14*8+2],8
            mov     word ptr idt[14*8+4],8E00h
            faults_to first
            lgdt    fword ptr gdtr
            lidt    fword ptr idtr
            compare 70000, 80000, <repe cmpsb>
            hlt

first:      mov     eax,[esp+12]
            and     eax,flags
            mov     kept,eax
            mov     left,ecx
            mov     eax,cr2
            mov     address,eax
; Once more from there, one element further on: one is equal before the next fault, and the flags before it are these.
            inc     esi
            inc     edi
            and     dword ptr [esp+12],not flags
            or      dword ptr [esp+12],40h
            faults_to second
            add     esp,4
            iretd
second:     mov     eax,[esp+12]
            and     eax,flags
            mov     second_kept,eax
            mov     second_left,ecx
            add     esp,16
            faults_to third
            compare 3, 5, <>
            mov     al,ds:[lowest]
            stc
            repe    scasb
            hlt
third:      mov     eax,[esp+12]
            and     eax,flags
            mov     one_kept,eax
            hlt
            end     start
