# A handler clears the alignment flag in what a signal has saved, as often as the code around it is compiled: what is
# not aligned after that raises nothing, whatever was checked before. The exit code is the number of other signals.
# as --32 aligned.s -o aligned.o && ld -m elf_i386 -N -s aligned.o -o aligned.elf
        .data
        .balign 16
words:  .fill   8, 2, 0x037F
action: .long   trap, 0x04000004, back, 0, 0
other:  .long   fault, 0x04000004, back, 0, 0
        .bss
faults: .long   0
        .text
        .globl  _start
_start: mov     $174, %eax              # rt_sigaction
        mov     $5, %ebx                # of SIGTRAP
        mov     $action, %ecx
        xor     %edx, %edx
        mov     $8, %esi
        int     $0x80
        mov     $174, %eax
        mov     $7, %ebx                # of SIGBUS
        mov     $other, %ecx
        int     $0x80
        mov     $3000, %edi
again:  pushfl
        orl     $0x40000, (%esp)
        popfl
        int3
        fldcw   words+1
        dec     %edi
        jnz     again
        mov     $1, %eax
        mov     faults, %ebx
        cmp     $100, %ebx
        jb      over
        mov     $100, %ebx
over:   int     $0x80
trap:   mov     12(%esp), %eax
        andl    $~0x40000, 84(%eax)
        ret
back:   mov     $173, %eax              # rt_sigreturn
        int     $0x80
fault:  mov     12(%esp), %eax
        andl    $~0x40000, 84(%eax)
        addl    $6, 76(%eax)
        incl    faults
        ret
