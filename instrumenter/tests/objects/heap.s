# as --32 heap.s -o /tmp/heap.o
# ld -m elf_i386 -z noseparate-code /tmp/heap.o -o heap.elf
# Accesses to the heap, to the stack, to a variable, and to memory of the program that has no name.
        .globl _start
        .text
_start: movl $45,%eax
        xorl %ebx,%ebx
        int $0x80
        movl %eax,%esi
        leal 4096(%eax),%ebx
        movl $45,%eax
        int $0x80
        movl $400,%ecx
again:  movl (%esi),%eax
        movl %eax,64(%esi)
        pushl %eax
        popl %edx
        addl %edx,named
        movl .Lother,%eax
        decl %ecx
        jnz again
        movl $1,%eax
        xorl %ebx,%ebx
        int $0x80
        .data
        .globl named
        .type named,@object
        .size named,4
named:  .long 0
.Lother: .long 5
