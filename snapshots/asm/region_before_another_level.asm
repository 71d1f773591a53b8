; A region ends shortly before the program goes on at another privilege level: the events of the parts still add up.
; expect stop = fault 13 line 30
; expect eax_ = 5
        .586p
        .model flat
        .data
gdt     dq 0
        dq 0CF9A000000FFFFh, 0CF92000000FFFFh, 0CFFA000000FFFFh, 0CFF2000000FFFFh
gdtr    dw 39
        dd offset gdt
value   dd 5
eax_    dd ?
        .code
start:  lgdt fword ptr gdtr
        mov ebx,esp
        StartTSC short
        nop
        EndTSC
        push 23h
        push ebx
        push 2
        push 1Bh
        push offset user
        iretd
user:   mov cx,23h
        mov ds,cx
        mov eax,value
        mov edx,value
        mov eax_,eax
        hlt
        end start
