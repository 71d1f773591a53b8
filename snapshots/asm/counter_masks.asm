; CMASK counts clocks with as many occurrences as it asks for, INV clocks with fewer, EDGE how often that begins.
; A round has two pairs and, between them, IMUL with ten clocks of its own: in three clocks instructions end, in two of
; those two do, in nine in a row none. What 200 rounds count, less what 100 do, leaves out the writes that start and
; stop the counters.
; with monitor = perfmon
; expect stop = return
; expect clocks_with_any = 300
; expect clocks_with_two = 200
; expect clocks_with_three = 0
; expect clocks_without = 900
; expect times_begun = 100
; expect times_ended = 100
; expect retired = 500
; expect clocks_taken = 1200
        .586p
        .model  flat
        include perfmon.inc
        .data
clocks_with_any   dd 0
clocks_with_two   dd 0
clocks_with_three dd 0
clocks_without    dd 0
times_begun       dd 0
times_ended       dd 0
retired           dd 0
clocks_taken      dd 0
        .code
COUNTED equ INSTRUCTIONS_RETIRED OR PERFEVTSEL_USR OR PERFEVTSEL_OS OR PERFEVTSEL_EN
select  macro   number, least, flags
        PM_Write IA32_PERFEVTSEL0+number,<COUNTED OR flags OR (least SHL 24)>,0
        endm
; Adds a counter, or subtracts it.
account macro   operation, register, figure
        mov     ecx,register
        rdmsr
        operation figure,eax
        endm
; Counts ESI rounds.
count   proc
        RESET_PMC
        RESET_FIXED_PMC
        PM_Write IA32_PERF_GLOBAL_CTRL,15,3
        align   16
round:  add     eax,edx
        add     ebx,edx
        imul    edi,edx
        dec     esi
        jnz     round
        PM_Write IA32_PERF_GLOBAL_CTRL,0,0
        ret
count   endp
measure macro   operation, rounds, first, second, third, fourth
        mov     esi,rounds
        call    count
        account operation,IA32_PMC0,first
        account operation,IA32_PMC1,second
        account operation,IA32_PMC2,third
        account operation,IA32_PMC3,fourth
        endm
start:  ENABLE_IA32_FIXED_CTR0
        ENABLE_IA32_FIXED_CTR1
        mov     esi,10
        call    count
        select  0,1,0
        select  1,2,0
        select  2,1,PERFEVTSEL_INV
        select  3,1,PERFEVTSEL_EDGE
        measure sub,100,clocks_with_any,clocks_with_two,clocks_without,times_begun
        account sub,IA32_FIXED_CTR0,retired
        account sub,IA32_FIXED_CTR1,clocks_taken
        measure add,200,clocks_with_any,clocks_with_two,clocks_without,times_begun
        account add,IA32_FIXED_CTR0,retired
        account add,IA32_FIXED_CTR1,clocks_taken
        select  0,3,0
        select  1,1,<PERFEVTSEL_INV OR PERFEVTSEL_EDGE>
        measure sub,100,clocks_with_three,times_ended,ebp,ebp
        measure add,200,clocks_with_three,times_ended,ebp,ebp
        ret
        end     start
