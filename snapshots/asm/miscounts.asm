; The counters of the P54C miscount as Intel documents, if that is assumed: a misaligned FST counts twice, but not
; FLD, FIADD or MOV; a read of a port is a noncacheable read, VERR flushes the pipeline, and waits of writes to M or E
; lines are not counted.
; with assume = errata=on
; expect line = MISALIGNED_REFERENCES 2 warm, 2 cold; measured 2
; expect line = MISALIGNED_REFERENCES 3 warm, 3 cold; measured 3
; expect line = NONCACHEABLE_READS 1 warm, 1 cold; measured 1
; expect line = PIPELINE_FLUSHES 1 warm, 1 cold; measured 1
; expect line = WRITE_TO_M_OR_E_LINE_STALL in clocks 0 warm, 0 cold; measured 0
; expect line = 8 mov area,eax - +13: write order of area, as mov of line 34 is not in memory yet; the region ends
        .586
        .model  flat
        .data
        align   32
area    dd      16 dup(0)
        align   4096
never   dd      1024 dup(0)
        .code
start:
        fld1
        mov     eax,area
        StartProfile EV_MISALIGNED_REFERENCES, EV_NONCACHEABLE_READS, ports
        fst     dword ptr area+2
        in      al,80h
        EndProfile
        StartProfile EV_MISALIGNED_REFERENCES, EV_MISALIGNED_REFERENCES, others
        fld     dword ptr area+2
        fiadd   word ptr area+3
        mov     area+2,eax
        EndProfile
        fstp    st(0)
        StartProfile EV_PIPELINE_FLUSHES, EV_WRITE_TO_M_OR_E_LINE_STALL+COUNT_CYCLES, stalls
        verr    ax
        mov     never,eax
        mov     area,eax
        EndProfile
        fstp    st(0)
        ret
        end     start
