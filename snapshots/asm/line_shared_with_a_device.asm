; A device reads one line at each multiple of 8192 clocks, so that it becomes shared: the first write after each goes
; to memory and is no hit of a modified or exclusive line, and the second one is. At the end the line is modified, and
; nothing but the device has written it back.
; with monitor = snooper=8192:0@shared:32
; with runs = 1
; expect stop = return
; expect event EXTERNAL_SNOOPS = 3
; expect event EXTERNAL_SNOOP_HITS = 3
; expect event DATA_LINES_WRITTEN_BACK = 2
; expect event DATA_WRITE = 6
; expect event DATA_WRITE_MISS = 0
; expect event WRITE_HIT_TO_M_OR_E_LINE = 3
; expect event DATA_READ_MISS = 2
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
        mov     ecx,shared
        rept    3
        pass
        mov     shared,eax
        cdq
        mov     shared+4,eax
        endm
        ret
        end     start
