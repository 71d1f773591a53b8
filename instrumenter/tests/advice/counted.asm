; The end of the region saves EAX, which the faster form has changed: what the macros keep is not compared.
        .586
        .model flat
        .data
total   dd 0
        .code
main:   mov ecx,50
        StartTSC adding
next:   inc total
        nop
        dec ecx
        jnz next
        EndTSC
        xor eax,eax
        ret
        end main
