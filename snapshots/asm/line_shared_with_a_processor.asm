; A second processor writes to a line at each multiple of 8192 clocks, if it does not have it modified: after the first
; multiple it has, and takes nothing at the second. The program reads it, which makes the bus its own and lets the other
; one write it back. At the third multiple the other one takes the line away, clean; the program reads it and writes to
; it twice, of which the first write goes to memory. At the fourth one it is modified, and written back.
; with cpu = p55c
; with monitor = dual=8192:100@shared:32
; with runs = 1
; expect stop = return
; expect event EXTERNAL_SNOOPS = 3
; expect event EXTERNAL_SNOOP_HITS = 2
; expect event CACHE_LINE_SHARING = 2
; expect event CACHE_M_LINE_SHARING = 1
; expect event DATA_LINES_WRITTEN_BACK = 1
; expect event BUS_OWNERSHIP_TRANSFERS = 3
; expect event WRITE_HIT_TO_M_OR_E_LINE = 1
; expect event DATA_READ_MISS = 3
        .586
        .model  flat
        .data
        align   32
shared  dd      8 dup(0)
        .code
pass    macro
        local   again
again:  rdtsc
        shr     eax,13
        cmp     eax,ebx
        je      again
        mov     ebx,eax
        endm

start:  xor     ebx,ebx
        pass
        pass
        mov     eax,shared
        pass
        mov     eax,shared
        mov     shared,eax
        cdq
        mov     shared+4,eax
        pass
        ret
        end     start
