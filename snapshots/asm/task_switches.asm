; Task switches in each way: JMP, CALL and IRET, through task gates, by interrupts and exceptions whose gate is one, to
; tasks of 32-bit and of 16-bit task state segments.
; expect stop = return
; expect jumped = 3
; expect called = 2
; expect nested = 2
; expect link = 24
; expect busy_inside = 139
; expect busy_after = 137
; expect main_inside = 139
; expect interrupted = 1
; expect divided = 1
; expect protected = 1
; expect error_code = 108
; expect narrow_ran = 1
; expect narrow_flags = 16384
; expect returned = 1
; expect switched = 8
.586p
.model flat
.data
align 8
gdt             dq 0
                dw 0FFFFh, 0, 9A00h, 0CFh       ; 08h: code
                dw 0FFFFh, 0, 9200h, 0CFh       ; 10h: data
main_task       dw 67h, 0, 8900h, 0             ; 18h
jumping_task    dw 67h, 0, 8900h, 0             ; 20h
called_task     dw 67h, 0, 8900h, 0             ; 28h
called_gate     dw 0, 28h, 8500h, 0             ; 30h
interrupt_task  dw 67h, 0, 8900h, 0             ; 38h
divide_task     dw 67h, 0, 8900h, 0             ; 40h
protect_task    dw 67h, 0, 8900h, 0             ; 48h
narrow_task     dw 2Bh, 0, 8100h, 0             ; 50h
narrow_code     dw 0FFFFh, 0, 9A00h, 40h        ; 58h
jumping_gate    dw 0, 20h, 8500h, 0             ; 60h
gdtr            dw 67h
                dd offset gdt
idt             dq 64 dup(0)
idtr            dw 64*8-1
                dd offset idt
align 4
main            dd 26 dup(0)
jumping         dd 26 dup(0)
called_         dd 26 dup(0)
interrupting    dd 26 dup(0)
dividing        dd 26 dup(0)
protecting      dd 26 dup(0)
narrow          dw 22 dup(0)
stacks          dd 6*64 dup(0)
stacks_end      label dword
place           df 0
jumped          dd 0
called          dd 0
nested          dd 0
link            dd 0
busy_inside     dd 0
busy_after      dd 0
main_inside     dd 0
interrupted     dd 0
divided         dd 0
protected       dd 0
error_code      dd 0
narrow_ran      dd 0
narrow_flags    dd 0
returned        dd 0
switched        dd 0

.code
; The base of a descriptor.
based   macro   descriptor, where
        mov     eax,offset where
        mov     descriptor+2,ax
        shr     eax,16
        mov     byte ptr descriptor+4,al
        mov     byte ptr descriptor+7,ah
        endm

; A task state segment: its descriptor, its place, where it begins, the number of its stack.
task    macro   descriptor, where, first, number
        based   descriptor, where
        mov     where+20h,offset first
        mov     where+24h,2
        mov     where+38h,offset stacks+256*number
        mov     where+48h,10h
        mov     where+4Ch,8
        mov     where+50h,10h
        mov     where+54h,10h
        endm

; A task gate of the interrupt table.
task_gate macro vector, selector
        mov     word ptr idt[vector*8+2],selector
        mov     word ptr idt[vector*8+4],0E500h
        endm

; Whether the switch has set CR0.TS, which is cleared.
note_switch macro
        mov     eax,cr0
        shr     eax,3
        and     eax,1
        add     switched,eax
        clts
        endm

start:  based   main_task, main
        task    jumping_task, jumping, jump_first, 1
        task    called_task, called_, call_first, 2
        task    interrupt_task, interrupting, interrupt_first, 3
        task    divide_task, dividing, divide_first, 4
        task    protect_task, protecting, protect_first, 5
        based   narrow_task, narrow
        based   narrow_code, narrow_first
        mov     word ptr narrow[10h],2
        mov     word ptr narrow[1Ah],offset 0
        mov     word ptr narrow[22h],10h
        mov     word ptr narrow[24h],58h
        mov     word ptr narrow[26h],10h
        mov     word ptr narrow[28h],10h
        task_gate 0, 40h
        task_gate 13, 48h
        task_gate 30h, 38h
        lgdt    fword ptr gdtr
        lidt    fword ptr idtr
        mov     ax,18h
        ltr     ax
; JMP to a task state segment, through a gate, and back.
        jmp     20h:0
        note_switch
        jmp     60h:0
        note_switch
        inc     jumped
; CALL likewise; the task goes on where it has returned.
        call    28h:0
        call    30h:0
        movzx   eax,byte ptr called_task+5
        mov     busy_after,eax
; Interrupts and exceptions.
        int     30h
        xor     ecx,ecx
        div     ecx
        mov     ax,6Ch                          ; past the end of the table
        mov     ds,ax
        mov     dword ptr place,0
        mov     word ptr place+4,50h
        call    fword ptr place
        inc     returned
        ret

jump_first:
        note_switch
        inc     jumped
        jmp     18h:0
        note_switch
        inc     jumped
        jmp     18h:0

call_first:
        note_switch
        inc     called
        pushfd
        pop     eax
        shr     eax,14
        and     eax,1
        add     nested,eax
        movzx   eax,word ptr called_
        mov     link,eax
        movzx   eax,byte ptr called_task+5
        mov     busy_inside,eax
        movzx   eax,byte ptr main_task+5
        mov     main_inside,eax
        iretd
        jmp     call_first

interrupt_first:
        note_switch
        inc     interrupted
        iretd

; Behind the division, and behind the load of DS.
divide_first:
        note_switch
        inc     divided
        add     dword ptr main[20h],2
        iretd
protect_first:
        inc     protected
        pop     error_code
        add     dword ptr main[20h],2
        iretd

narrow_first:
        inc     narrow_ran
        movzx   eax,sp
        mov     esp,offset stacks_end
        pushfd
        pop     eax
        and     eax,4000h
        mov     narrow_flags,eax
        iretd
        end     start
