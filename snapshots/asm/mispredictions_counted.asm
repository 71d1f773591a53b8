; The architectural event of mispredicted branches: a loop of ten rounds that is left a hundred times more.
; with monitor = perfmon
; expect stop = return
; expect mispredicted = 100
; expect branches = 1100
        .586p
        .model  flat
        include perfmon.inc
        .data
mispredicted dd 0
branches     dd 0
        .code
COUNTED equ PERFEVTSEL_USR OR PERFEVTSEL_OS OR PERFEVTSEL_EN
account macro   operation, register, figure
        mov     ecx,register
        rdmsr
        operation figure,eax
        endm
; Enters the loop ESI times.
count   proc
        RESET_PMC
        ENABLE_COUNTER 3,0
outer:  mov     edi,10
inner:  add     eax,edx
        add     ebx,edx
        add     eax,edx
        add     ebx,edx
        dec     edi
        jnz     inner
        add     eax,edx
        add     ebx,edx
        add     eax,edx
        add     ebx,edx
        dec     esi
        jnz     outer
        DISABLE_COUNTER 3,0
        ret
count   endp
measure macro   operation, rounds
        mov     esi,rounds
        call    count
        account operation,IA32_PMC0,mispredicted
        account operation,IA32_PMC1,branches
        endm
start:  PM_Write IA32_PERFEVTSEL0,<BRANCHES_MISPREDICTED OR COUNTED>,0
        PM_Write IA32_PERFEVTSEL1,<BRANCHES_RETIRED OR COUNTED>,0
        mov     esi,10
        call    count
        measure sub,100
        measure add,200
        ret
        end     start
