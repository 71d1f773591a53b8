; The counters without macros: MSR 11h selects what they count, 12h and 13h are read.
; expect instructions_counted = 2
; expect stop = return
        .data
        align 32
instructions_counted dd 0
        .code
; Bits 15..0 of MSR 11h belong to counter 0: event 16h (instructions), counted at levels 0 to 2 (bit 6).
        mov ecx,11h
        rdmsr
        and eax,0FE00FE00h
        or eax,16h+40h
        wrmsr

        mov ecx,12h
        rdmsr
        mov ebx,eax
        rdmsr
        sub eax,ebx
        mov instructions_counted,eax
        ret
