; Reads 64 dwords that are STRIDE bytes apart. `p5inst sweep` defines STRIDE; by itself the program has the usual one.
; expect line = reads, lines 17-22: 132 clocks warm, 363 cold; measured 132
; expect stop = return
        .586
        .model flat

ifndef STRIDE
STRIDE  equ 4
endif

        .data
table   db 64 * 1024 dup (0)

        .code
start:  mov esi,offset table
        mov ecx,64
        StartTSC reads
next:   mov eax,[esi]
        add esi,STRIDE
        dec ecx
        jnz next
        EndTSC
        ret
        end start
