; A program that samples itself and keeps the seven registers of each sample: 64 samples by dispatched ops, and 64 by
; clocks. A test finds each of them among all ops that are recorded from outside.
; with monitor = ibs
; with memory = dram
; with runs = 1
; expect stop = return
; expect by_ops = 64
; expect by_clocks = 64
        .586p
        .model  flat

; The registers of one sample.
kept    macro   kind,number
rip_&kind&number     dq      0
data_&kind&number    dq      0
data2_&kind&number   dq      0
data3_&kind&number   dq      0
linear_&kind&number  dq      0
physical_&kind&number dq     0
target_&kind&number  dq      0
        endm

        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
control dd      0
into    dd      0
left    dd      0
by_ops  dd      0
by_clocks dd    0
        align   32
ops     label   dword
number  =       0
        rept    64
        kept    ops,%number
number  =       number+1
        endm
clocks  label   dword
number  =       0
        rept    64
        kept    clocks,%number
number  =       number+1
        endm
        align   32
far_data dd     8000h dup(1)
near_data dd    16 dup(2)
        .code
APIC    equ     0FEE00000h
OPCTL   equ     0C0011033h
TARGET  equ     0C001103Bh
; 16 * 16 ops or clocks, enabled; dispatched ops are counted.
ARMED   equ     20010h
DISPATCHED equ  80000h
handler:
        pushad
        cmp     left,0
        je      finished
        dec     left
        mov     edi,into
        mov     ecx,OPCTL+1
        mov     esi,6
keep:   rdmsr
        mov     [edi],eax
        mov     [edi+4],edx
        add     edi,8
        inc     ecx
        dec     esi
        jnz     keep
        mov     ecx,TARGET
        rdmsr
        mov     [edi],eax
        mov     [edi+4],edx
        add     edi,8
        mov     into,edi
; The low bits of the current count are random behind a sample: they vary the next period.
        mov     ecx,OPCTL
        rdmsr
        mov     eax,control
        wrmsr
        jmp     leave_it
finished:
        mov     ecx,OPCTL
        xor     eax,eax
        xor     edx,edx
        wrmsr
leave_it:
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

; Samples the loop by EAX into EDI. Returns the samples that it took.
measure proc
        mov     control,eax
        mov     into,edi
        mov     left,64
        mov     ecx,OPCTL
        xor     edx,edx
        wrmsr
        mov     esi,offset far_data
        mov     ebp,1000h
next:   mov     eax,[esi]
        add     near_data[8],eax
        mov     edx,near_data[0]
        mov     ecx,near_data[4]
        push    edx
        inc     ebx
        test    ebp,3
        jnz     odd
        mov     eax,near_data[6]
        imul    ecx,edx
odd:    pop     edx
        mov     near_data[20],ecx
        add     esi,32
        dec     ebp
        jnz     next
        mov     ecx,OPCTL
        xor     eax,eax
        xor     edx,edx
        wrmsr
        mov     eax,64
        sub     eax,left
        ret
measure endp

start:  lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        sti
        mov     edi,offset ops
        mov     eax,ARMED+DISPATCHED
        call    measure
        mov     by_ops,eax
        mov     edi,offset clocks
        mov     eax,ARMED
        call    measure
        mov     by_clocks,eax
        cli
        ret
        end     start
