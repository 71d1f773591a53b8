; Macros with a constant overhead, as programs had in 1996.
; expect stop = return
        .data
        align 32
_TSC    dd 0
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

        StartTSC nothing
        EndTSC

        StartTSC moves
        mov eax,1
        mov edx,2
        mov ecx,3
        mov ebx,4
        EndTSC

        StartTSC division
        xor edx,edx
        mov ebx,7
        div ebx
        EndTSC
        ret
