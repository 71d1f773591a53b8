; A region that reads enough to evict the line of the stack from the data cache; the macros with the constant.
; expect stop = return
        .data
        align 32
_TSC    dd 0
big     db 16384 dup (1)
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

        StartTSC much
        mov esi,offset big
        mov ecx,512
next:   mov eax,[esi]
        add esi,32
        dec ecx
        jnz next
        EndTSC
        ret
