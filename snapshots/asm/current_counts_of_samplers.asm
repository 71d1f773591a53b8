; The counts of both samplers, read while they count, written, and read again. Between the WRMSR that arms and the
; RDMSR that reads there are so many ops, or clocks, or fetches; writing a count goes on from it. A sampler that is off
; keeps its count.
; with monitor = ibs
; with runs = 1
; expect stop = return
; expect after_none = 1
; expect after_ten = 11
; expect after_write = 1011
; expect of_clocks = 70
; expect of_time = 70
; expect off_1 = 700
; expect off_2 = 700
; expect fetched = 23
; expect fetched_again = 256
; expect val_at_end = 1
; expect moved = 0
        .586p
        .model  flat
        .data
after_none     dd 0
after_ten      dd 0
after_write    dd 0
of_clocks      dd 0
of_time        dd 0
off_1          dd 0
off_2          dd 0
fetched        dd 0
fetched_again  dd 0
at_end         dd 0
val_at_end     dd 0
moved          dd 1
        .code
FETCHES equ     0C0011030h
OPS     equ     0C0011033h
; 4096 * 16 ops, enabled; dispatched ops are counted.
OPS_ON  equ     021000h
DISPATCHED equ  80000h
; 4096 * 16 fetches; enabled.
FETCH_ON equ    10000h

; Writes a register that is in ECX.
put     macro   low, high
        mov     eax,low
        mov     edx,high
        wrmsr
        endm

start:  mov     ecx,OPS
        put     OPS_ON+DISPATCHED,0
        rdmsr
        mov     after_none,edx
        mov     ecx,OPS
        put     OPS_ON+DISPATCHED,0
        rept    10
        nop
        endm
        rdmsr
        mov     after_ten,edx
; It goes on from 1000.
        put     OPS_ON+DISPATCHED,1000
        rept    10
        nop
        endm
        rdmsr
        mov     after_write,edx
; Clocks: those between two RDMSR are those between two RDTSC at the same distance.
        put     OPS_ON,0
        mov     ebp,100
warm:   rdmsr
        mov     esi,edx
        rept    5
        imul    ebx,ebx
        endm
        rdmsr
        sub     edx,esi
        mov     of_clocks,edx
        dec     ebp
        jnz     warm
        put     0,0
        mov     ecx,10h
        mov     ebp,100
warm_2: rdmsr
        mov     esi,eax
        rept    5
        imul    ebx,ebx
        endm
        rdmsr
        sub     eax,esi
        mov     of_time,eax
        dec     ebp
        jnz     warm_2
; Off: the count stays.
        mov     ecx,OPS
        put     OPS_ON+DISPATCHED,500
        mov     eax,DISPATCHED+1000h
        mov     edx,700
        wrmsr
        rdmsr
        mov     off_1,edx
        rept    10
        nop
        endm
        rdmsr
        mov     off_2,edx
; Fetches, in units of 16, in the upper half of the low word: 3 * 16 and those of 320 rounds.
        mov     ecx,FETCHES
        put     31000h,FETCH_ON
        mov     ebp,320
        align   32
round:  dec     ebp
        jnz     round
        rdmsr
        shr     eax,16
        mov     fetched,eax
        put     01001000h,FETCH_ON
        rdmsr
        shr     eax,16
        mov     fetched_again,eax
        put     0,0
; One op before the period ends, the next is sampled: Val is set, and nothing counts any more.
        mov     ecx,OPS
        put     OPS_ON+DISPATCHED,0FFFFh
        nop
        nop
        rdmsr
        mov     at_end,edx
        shr     eax,18
        and     eax,1
        mov     val_at_end,eax
        nop
        nop
        rdmsr
        sub     edx,at_end
        mov     moved,edx
        put     0,0
        ret
        end     start
