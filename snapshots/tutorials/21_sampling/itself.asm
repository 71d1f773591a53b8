; How often a sample names the load, an interrupt finds the program there, both.
; with monitor = ibs
; with runs = 1
; expect both = 0
        .586p
        .model  flat
        .data
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
data    dd      1000h dup(0)
samples dd      0
named   dd      0
found   dd      0
both    dd      0
        .code
APIC    equ     0FEE00000h
CONTROL equ     0C0011033h
ARMED   equ     0A0004h ; 4 * 16 dispatched ops, enabled
handler:
        pushad
        mov     ecx,CONTROL+1
        rdmsr
        xor     edx,edx
        cmp     eax,offset load
        sete    dl
        mov     ecx,0
        cmp     dword ptr [esp+32],offset load
        sete    cl
        add     named,edx
        add     found,ecx
        and     edx,ecx
        add     both,edx
        inc     samples
        mov     ecx,CONTROL
        mov     eax,ARMED
        xor     edx,edx
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd
start:  lidt    fword ptr limit
        mov     word ptr table[8*40h],offset handler and 0FFFFh
        mov     word ptr table[8*40h+2],cs
        mov     dword ptr table[8*40h+4],(offset handler and 0FFFF0000h)+8E00h
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        sti
        mov     ecx,CONTROL
        mov     eax,ARMED
        wrmsr
        mov     esi,10000
next:   lea     edi,[esi*8+esi]
        and     edi,0FFFh
load:   mov     eax,data[edi*4]
        dec     esi
        jnz     next
        ret
        end     start
