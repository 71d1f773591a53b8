# as --32 -g --debug-prefix-map=$PWD=. sources.s -o /tmp/sources.o
# ld -m elf_i386 -z noseparate-code /tmp/sources.o -o sources.elf
# A program of five sources, as a compiler would name them.
        .globl _start
        .text
# 1 "one.c"
_start: movl $3,%eax
        addl $1,%eax
        addl $1,%eax
# 1 "two.c"
        addl $1,%eax
        addl $1,%eax
# 1 "three.c"
        addl $1,%eax
# 1 "four.c"
        xorl %ebx,%ebx
# 1 "five.c"
        movl $1,%eax
        int $0x80
