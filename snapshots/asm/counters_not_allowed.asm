; At privilege level 3, RDPMC faults unless CR4.PCE is set, which only level 0 can do.
; with cpu = p55c
; with cpl = 3
; expect stop = fault 13 line 9
        .586
        .model  flat
        .code
start:  xor     ecx,ecx
        rdpmc
        ret
        end     start
