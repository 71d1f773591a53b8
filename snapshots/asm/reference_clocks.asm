; The time stamp counter beside the fixed counter of reference clocks, around a procedure that prints: they agree, as
; RDTSC reads the clock in which it is issued, and the counter is switched behind WRMSR. `ENABLE_COUNTER 0, 7` starts
; the three fixed counters and no general one.
; with monitor = perfmon
; with core_ratio = 4/3
; expect stop = return
; expect line = | this is a test message
; expect line = | PERF_GLOBAL_CTRL: 0000000000000000
; expect line = | FIXED_CTR_CTRL: 0000000000000BBB
; expect difference = 0
; expect general = 0
; expect enabled_general = 0
; expect enabled_fixed = 7
        .586p
        .model  flat
        include perfmon.inc
        .data
        align   8
start_tsc       dq 0
end_tsc         dq 0
difference      dd 0
general         dd 0
enabled_general dd 0
enabled_fixed   dd 0
        .code
start:  DISABLE_GLOBAL_COUNTER
        RESET_FIXED_PMC
        RESET_PMC
        PM_Write IA32_PERFEVTSEL0,<INSTRUCTIONS_RETIRED OR PERFEVTSEL_USR OR PERFEVTSEL_OS OR PERFEVTSEL_EN>,0
        PM_Write IA32_FIXED_CTR_CTRL,0BBBh,0
        ENABLE_COUNTER 0,7
        rdtsc
        mov     dword ptr start_tsc,eax
        mov     dword ptr start_tsc+4,edx
        mov     ecx,IA32_PERF_GLOBAL_CTRL
        rdmsr
        mov     enabled_general,eax
        mov     enabled_fixed,edx
        call    test_func
        DISABLE_GLOBAL_COUNTER
        rdtsc
        mov     dword ptr end_tsc,eax
        mov     dword ptr end_tsc+4,edx
        mov     esi,offset end_tsc
        mov     edi,offset start_tsc
        call    subtract64
        mov     ebx,eax
        mov     ecx,IA32_FIXED_CTR2
        rdmsr
        sub     ebx,eax
; The reference clock that both began in may end in one of them only.
        inc     ebx
        shr     ebx,1
        mov     difference,ebx
        mov     ecx,IA32_PMC0
        rdmsr
        mov     general,eax
        call    dump_perfmon
        ret
        end     start
