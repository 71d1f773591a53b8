; In the mode of clocks a group is tagged, and of a group of two either op is as likely, also if the sampler is armed
; anew for each sample. Of 2048 samples of pairs about half are of the first op, with a standard error of 22.6. The
; handler leaves the low bits of the count as the sampler left them; CMP and JB behind the pairs are issued alone.
; with monitor = ibs
; with runs = 1
; expect stop = return
; expect samples = 2048
; expect elsewhere = 41
; expect in_u = 1059
; expect in_v = 989
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples dd      0
in_u    dd      0
in_v    dd      0
elsewhere dd    0
        .code
APIC    equ     0FEE00000h
OPS     equ     0C0011033h
; 64 * 16 clocks, enabled: the handler is long over.
OPS_ON  equ     20040h
handler:
        pushad
        mov     ecx,OPS+1
        rdmsr
        sub     eax,offset pairs
        cmp     eax,behind_pairs-pairs
        jae     other
        inc     samples
        shr     eax,1
        jc      second
        inc     in_u
        jmp     armed
second: inc     in_v
        jmp     armed
other:  inc     elsewhere
armed:  mov     ecx,OPS
        rdmsr
        mov     eax,OPS_ON
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

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
        mov     ecx,OPS
        mov     eax,OPS_ON
        xor     edx,edx
        wrmsr
        jmp     pairs
        align   32
; Instructions of one byte: those at even distances are first ops.
pairs:
        rept    100
        inc     esi
        inc     edi
        endm
behind_pairs:
        cmp     samples,2048
        jb      pairs
        mov     ecx,OPS
        xor     eax,eax
        xor     edx,edx
        wrmsr
        cli
        ret
        end     start
