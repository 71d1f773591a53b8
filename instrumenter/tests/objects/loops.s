# as --32 -g --debug-prefix-map=$PWD=. loops.s -o /tmp/loops.o
# as --32 loops_library.s -o /tmp/loops_library.o
# ld -m elf_i386 -z noseparate-code /tmp/loops.o /tmp/loops_library.o -o loops.elf
# A loop with lines between two without lines that take more clocks, as those of a C library before `main` do.
        .globl _start
        .text
_start: call before
        movl $200,%ecx
own:    addl $3,%eax
        addl %eax,%edx
        decl %ecx
        jnz own
        call behind
        movl $0,%ebx
        movl $1,%eax
        int $0x80
