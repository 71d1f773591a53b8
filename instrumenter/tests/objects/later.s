# as --32 later.s -o /tmp/later.o
# ld -m elf_i386 -z noseparate-code /tmp/later.o -o later.elf
# Instructions of later processors: ENDBR32 comes first, CMOVE in a function that nothing has called by then.
        .globl _start
        .type _start,@function
        .type choose,@function
        .text
_start: endbr32
        call choose
        movl %eax,%ebx
        movl $1,%eax
        int $0x80
        .size _start, . - _start

choose: movl $7,%eax
        xorl %ecx,%ecx
        cmove %eax,%ecx
        ret
        .size choose, . - choose
