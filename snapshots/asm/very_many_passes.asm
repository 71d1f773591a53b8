; Of more passes than are kept, those of each run stand for the others at equal distances, and the report says how many
; its warm figure is of.
; expect line = each, lines 14-16: 1 clock warm, 1 cold; measured 1; 15000 passes in 5 runs, the warm figure is of 1500
        .586
        .model  flat
        .data
left    dd      0
        .code
start:
        mov     dword ptr [left],3000
        mov     ebx,1
next:
        nop
        StartTSC each
        inc     ebx
        EndTSC
        dec     dword ptr [left]
        jnz     next
        ret
        end     start
