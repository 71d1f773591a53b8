# as --32 untyped.s -o /tmp/untyped.o
# ld -m elf_i386 -z noseparate-code /tmp/untyped.o -o untyped.elf
# Functions as hand-written assembly has them. `add` is said to be a function, but not how long; `times` and `shift`
# are only global, and so is `again`, which is in a function with a size. `loop`, `size` and `behind` begin none.
        .globl _start, add, times, shift, whole, again, size, behind
        .weak shift
        .type _start,@function
        .type add,@function
        .type whole,@function
        .set size, 12
        .text
_start: movl $5,%eax
        call add
        call times
        call shift
        call whole
        movl %eax,%ebx
        movl $1,%eax
        int $0x80

add:    movl $10,%ecx
loop:   addl $2,%eax
        decl %ecx
        jnz loop
        ret

times:  leal (%eax,%eax,2),%eax
        ret

shift:  shrl %eax
        nop
        ret

whole:  incl %eax
again:  incl %eax
        nop
        nop
        ret
        .size whole, . - whole
behind:
