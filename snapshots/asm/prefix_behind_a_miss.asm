; A read misses in the last group before an instruction with a prefix. While it waits, the prefix is decoded, so that it
; costs nothing: at first behind a block of two groups, then behind one of a single group. There are as many rounds as
; code takes that is compiled after the trace of the beginning.
; with runs = 1
; expect cycles = 285498
        .586
        .model  flat
ROUNDS  equ     10000
        .data?
lines   dd      1000h dup(?)
        .code
start:  mov     ecx,ROUNDS
        xor     esi,esi
        align   16
two:    dec     ecx
        nop
        mov     eax,lines[esi]
        jz      next
        mov     dx,7
        add     esi,64
        and     esi,3FFFh
        jmp     two
next:   mov     ecx,ROUNDS
        test    ecx,ecx
        align   16
one:    mov     eax,lines[esi]
        jz      done
        mov     dx,9
        add     esi,64
        and     esi,3FFFh
        dec     ecx
        jmp     one
done:   ret
        end     start
