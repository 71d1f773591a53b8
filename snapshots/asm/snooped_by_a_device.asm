; A device writes to one line at each multiple of 8192 clocks. The program meets four of them: the line is not cached,
; it is modified and so written back, it is clean, and it is gone. The program reads it twice after it was taken, and
; its return address once, which miss; its only write hits.
; with monitor = snooper=8192:100@shared:32
; with runs = 1
; expect stop = return
; expect event EXTERNAL_SNOOPS = 4
; expect event EXTERNAL_SNOOP_HITS = 2
; expect event DATA_LINES_WRITTEN_BACK = 1
; expect event DATA_READ_MISS = 3
; expect event WRITE_HIT_TO_M_OR_E_LINE = 1
        .586
        .model  flat
        .data
        align   32
shared  dd      5
        dd      7 dup(0)
        .code
; Waits for the next multiple.
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
        mov     eax,shared
        mov     shared,eax
        pass
        mov     eax,shared
        pass
        pass
        ret
        end     start
