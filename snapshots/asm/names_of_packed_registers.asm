; Before `.mmx` the names of its registers are names like any other; a branch may come before its label.
; expect stop = return
; expect sum = 12
        .586
        .model  flat
        .data
mm1     dd      5
sum     dd      0
        .code
start:  jmp     mm3
        int3
mm3:    mov     ecx,2
        mov     eax,2
mm2:    add     eax,mm1
        dec     ecx
        jnz     mm2
        mov     sum,eax
        ret
        end     start
