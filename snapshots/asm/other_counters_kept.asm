; The macros change the bits of the counters that they name, whatever the others are.
; with monitor = perfmon
; expect stop = return
; expect enabled = 13
; expect enabled_fixed = 6
; expect disabled = 9
; expect disabled_fixed = 2
; expect control = 1973
; expect control_fixed = 3
        .586p
        .model  flat
        include perfmon.inc
        .data
enabled        dd 0
enabled_fixed  dd 0
disabled       dd 0
disabled_fixed dd 0
control        dd 0
control_fixed  dd 0
        .code
read    macro   register, low, high
        mov     ecx,register
        rdmsr
        mov     low,eax
        ifnb    <high>
        mov     high,edx
        endif
        endm
start:  PM_Write IA32_PERF_GLOBAL_CTRL,9,2
        ENABLE_COUNTER IA32_PMC2_EN,IA32_FIXED_CTR2_EN
        read    IA32_PERF_GLOBAL_CTRL,enabled,enabled_fixed
        DISABLE_COUNTER IA32_PMC2_EN OR IA32_PMC1_EN,IA32_FIXED_CTR2_EN
        read    IA32_PERF_GLOBAL_CTRL,disabled,disabled_fixed
        PM_Write IA32_FIXED_CTR_CTRL,745h,0
        ENABLE_IA32_FIXED_CTR1
        DISABLE_COUNTER 0,IA32_FIXED_CTR2_EN
        ENABLE_COUNTER 0,IA32_FIXED_CTR0_EN
        read    IA32_FIXED_CTR_CTRL,control
        read    IA32_PERF_GLOBAL_CTRL,ecx,control_fixed
        ret
        end     start
