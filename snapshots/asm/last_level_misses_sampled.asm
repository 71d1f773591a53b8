; L3MissOnly of both samplers: the last level is the second. Loads from 512 KiB miss it and those from 1 KiB do not;
; code is fetched from memory when it first runs. Each sample that the filter leaves is a miss;
; without it two of three are not.
; with monitor = ibs
; with runs = 1
; expect stop = return
; expect any_samples = 1585
; expect any_misses = 529
; expect far_samples = 406
; expect far_misses = 406
; expect near_samples = 0
; expect new_fetches = 9
; expect new_misses = 9
; expect old_fetches = 0
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples        dd 0
misses         dd 0
any_samples    dd 0
any_misses     dd 0
far_samples    dd 0
far_misses     dd 0
near_samples   dd 0
old_fetches    dd 0
new_fetches    dd 0
new_misses     dd 0
rearm_low      dd 0
rearm_high     dd 0
unit           dd 0
near_data      dd 256 dup(1)
        align   32
far_data       dd 20000h dup(1)
        .code
APIC    equ     0FEE00000h
FETCHES equ     0C0011030h
OPS     equ     0C0011033h
; 64 ops, dispatched, enabled; only misses.
OPS_ON  equ     0A0004h
OPS_MISS equ    10000h
; 16 fetches; of the high half: enabled, only misses.
FETCH_ON equ    10000h
FETCH_MISS equ 8000000h
handler:
        pushad
        inc     samples
        cmp     unit,FETCHES
        je      fetch
; L2Miss of IbsOpData3.
        mov     ecx,OPS+4
        rdmsr
        shr     eax,20
        jmp     count
; IbsFetchL3Miss and IbsIcMiss.
fetch:  mov     ecx,FETCHES
        rdmsr
        mov     eax,edx
        shr     eax,29
        shr     edx,19
        and     eax,edx
count:  and     eax,1
        add     misses,eax
        mov     ecx,unit
        mov     eax,rearm_low
        mov     edx,rearm_high
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        iretd

; Arms the unit EBX with EDX:EAX.
arm     proc
        mov     unit,ebx
        mov     rearm_low,eax
        mov     rearm_high,edx
        mov     samples,0
        mov     misses,0
        mov     ecx,ebx
        wrmsr
        ret
arm     endp

; Stops the unit.
disarm  proc
        mov     ecx,unit
        xor     eax,eax
        xor     edx,edx
        wrmsr
        ret
disarm  endp

; Reads each line of a table.
read    macro   place, lines
        local   next
        mov     esi,offset place
        mov     ebp,lines
next:   mov     eax,[esi]
        add     esi,32
        nop
        dec     ebp
        jnz     next
        endm

start:  lidt    fword ptr limit
        mov     eax,offset handler
        mov     word ptr table[8*40h],ax
        mov     word ptr table[8*40h+2],cs
        mov     word ptr table[8*40h+4],8E00h
        shr     eax,16
        mov     word ptr table[8*40h+6],ax
        mov     dword ptr ds:[APIC+0F0h],1FFh
        mov     dword ptr ds:[APIC+340h],40h
        read    near_data,32
        sti
        mov     ebx,OPS
        mov     eax,OPS_ON
        xor     edx,edx
        call    arm
        read    far_data,4000h
        call    disarm
        mov     eax,samples
        mov     any_samples,eax
        mov     eax,misses
        mov     any_misses,eax
        mov     ebx,OPS
        mov     eax,OPS_ON+OPS_MISS
        xor     edx,edx
        call    arm
        read    far_data,4000h
        call    disarm
        mov     eax,samples
        mov     far_samples,eax
        mov     eax,misses
        mov     far_misses,eax
        read    near_data,32
        mov     ebx,OPS
        mov     eax,OPS_ON+OPS_MISS
        xor     edx,edx
        call    arm
        mov     edi,100
again:  read    near_data,32
        dec     edi
        jnz     again
        call    disarm
        mov     eax,samples
        mov     near_samples,eax
        mov     ebp,2
passes: mov     ebx,FETCHES
        mov     eax,1
        mov     edx,FETCH_ON+FETCH_MISS
        call    arm
        call    code_of_4_kib
        call    disarm
        mov     eax,samples
        mov     old_fetches,eax
        cmp     ebp,2
        jne     warm
        mov     new_fetches,eax
        mov     eax,misses
        mov     new_misses,eax
warm:   dec     ebp
        jnz     passes
        cli
        ret
        align   32
code_of_4_kib proc
        db      4096 dup(90h)
        ret
code_of_4_kib endp
        end     start
