; The same instruction 20 and 40 times, between macros with a constant overhead.
        .data
        align 32
_TSC    dd 0
count   dd 0
        .code
StartTSC MACRO NAME
        pushad
        popad
        pushad
        mov eax,_TSC
        imul _TSC
        rdtsc
        mov _TSC,eax
        popad
ENDM
EndTSC  MACRO
        pushad
        imul edx
        rdtsc
        sub eax,OVERHEAD
        sub eax,_TSC
        mov _TSC,eax
        popad
ENDM
OVERHEAD equ 27

        mov edi,offset count
        StartTSC copies_20
        REPT 20
        add dword ptr [edi],1
        ENDM
        EndTSC

        StartTSC copies_40
        REPT 40
        add dword ptr [edi],1
        ENDM
        EndTSC
        ret
