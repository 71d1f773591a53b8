# A function that does not keep EBX, and a fault later on; with an argument, a fault without it. With two, calls of a
# library, in which a function that the library itself calls takes most of the clocks.
# as --32 -g --debug-prefix-map=$PWD=. unkept.s -o /tmp/unkept.o
# as --32 unkept_library.s -o /tmp/unkept_library.o
# ld -m elf_i386 -z noseparate-code /tmp/unkept.o /tmp/unkept_library.o -o unkept.elf
        .globl _start
        .text
        .type keeps, @function
keeps:  pushl %esi
        movl $1,%esi
        popl %esi
        ret
        .type takes, @function
takes:  movl $5,%ebx
        ret
        .type _start, @function
_start: movl $table,%ebx
        call keeps
        movl (%esp),%ecx
        cmpl $2,%ecx
        je 2f
        jb 1f
        call middle
        call middle
        movl $0,%ebx
        movl $1,%eax
        int $0x80
1:      call takes
        nop
        movl (%ebx),%eax
2:      movl $5,%ebx
        movl (%ebx),%eax
        .data
table:  .long 7
