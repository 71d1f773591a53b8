; A region whose first instruction raises an exception begins with the delivery of that exception: the macros measure
; it, too. The handler of the first region repairs the operand and has the division repeated, that of the second one
; leaves it out, and that of the third one leaves out bytes that are no instruction.
; expect line = repaired, lines 41-43: 87 clocks warm, 229 cold; measured 87
; expect line = left_out, lines 48-50: 48 clocks warm, 57 cold; measured 48
; expect line = invalid, lines 55-57: 48 clocks warm, 48 cold; measured 48
; expect handled = 3
; expect stop = return
        .586p
        .model  flat
        .data
        align   8
table   dq      7 dup(0)
limit   dw      sizeof table - 1
        dd      offset table
handled dd      0
        .code
gate    macro   number, handler
        mov     eax,offset handler
        mov     word ptr table[8*number],ax
        mov     word ptr table[8*number+2],cs
        mov     word ptr table[8*number+4],8E00h
        shr     eax,16
        mov     word ptr table[8*number+6],ax
        endm

repair: inc     ebx
        inc     handled
        iretd
skip:   add     dword ptr [esp],2
        inc     handled
        iretd

start:  lidt    fword ptr limit
        gate    0,repair
        gate    6,skip
        mov     eax,5
        xor     edx,edx
        xor     ebx,ebx
        cld
        StartTSC repaired
        div     ebx
        EndTSC
        gate    0,skip
        xor     ebx,ebx
        cld
        cld
        StartTSC left_out
        div     ebx
        EndTSC
        cld
        cld
        cld
        cld
        StartTSC invalid
        db      0Fh,0Bh
        EndTSC
        ret
        end     start
