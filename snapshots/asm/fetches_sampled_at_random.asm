; The fetch sampler with IbsRandEn and without: 64 samples each, at rounds of a loop that fetches once in each. Without,
; the count begins with 0, so that all samples are as far from the WRMSR that arms; with, its low four bits are random,
; so that they come up to 15 fetches earlier.
; with monitor = ibs
; with runs = 1
; expect stop = return
; expect fixed_least = 61
; expect fixed_most = 61
; expect random_least = 46
; expect random_most = 61
; expect places = 16
        .586p
        .model  flat
        .data
        align   8
table   dq      41h dup(0)
limit   dw      sizeof table - 1
        dd      offset table
samples        dd 0
fixed_least    dd 0
fixed_most     dd 0
random_least   dd 0
random_most    dd 0
places         dd 0
least          dd 1000
most           dd 0
seen           dd 0
control        dd 0
        .code
APIC    equ     0FEE00000h
FETCHES equ     0C0011030h
; 4 * 16 fetches, and of the high half: enabled, RandEn.
COUNT   equ     4
ON      equ     10000h
RANDOM  equ     2000000h
handler:
        pushad
; The first two, with code that is not cached yet, say nothing.
        inc     samples
        cmp     samples,0
        jle     not_most
        cmp     ebx,least
        jae     not_least
        mov     least,ebx
not_least:
        cmp     ebx,most
        jbe     places_of
        mov     most,ebx
places_of:
        mov     ecx,ebx
        and     ecx,1Fh
        bts     seen,ecx
not_most:
        mov     ecx,FETCHES
        mov     eax,COUNT
        mov     edx,control
        wrmsr
        mov     dword ptr ds:[APIC+340h],40h
        mov     dword ptr ds:[APIC+0B0h],0
        popad
        xor     ebx,ebx
        iretd

; 64 samples with this high half of the control.
        align   32
measure proc
        mov     control,edx
        mov     least,1000
        mov     most,0
        mov     seen,0
        mov     samples,-2
        mov     ecx,FETCHES
        mov     eax,COUNT
        xor     ebx,ebx
        wrmsr
        align   32
round:  inc     ebx
        cmp     samples,64
        jl      round
        mov     ecx,FETCHES
        xor     eax,eax
        xor     edx,edx
        wrmsr
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
        mov     edx,ON
        call    measure
        mov     eax,least
        mov     fixed_least,eax
        mov     eax,most
        mov     fixed_most,eax
        mov     edx,ON+RANDOM
        call    measure
        mov     eax,least
        mov     random_least,eax
        mov     ecx,most
        mov     random_most,ecx
        mov     ecx,32
bits:   shr     seen,1
        adc     places,0
        loop    bits
        cli
        ret
        end     start
