# as --32 headers.s -o /tmp/headers.o
# ld -m elf_i386 -s -z noseparate-code /tmp/headers.o -o headers.elf
# ld -m elf_i386 -s -N /tmp/headers.o -o unloaded.elf
# Exits with the type of the first program header, found through AT_PHDR, or with 99 if that is 0. Only the first of
# the two programs loads its headers.
        .globl _start
        .data
data:   .long 5
        .text
_start: movl (%esp),%ecx
        leal 8(%esp,%ecx,4),%esi
1:      lodsl
        testl %eax,%eax
        jnz 1b
2:      lodsl
        movl %eax,%ecx
        lodsl
        cmpl $3,%ecx
        jne 2b
        movl $99,%ebx
        testl %eax,%eax
        jz 3f
        movl (%eax),%ebx
3:      movl $1,%eax
        int $0x80
