# Code of unkept.elf without lines; unkept.s says how it is assembled.
        .globl middle
        .text
        .type middle, @function
middle: call counts
        ret
        .type counts, @function
counts: movl $2000,%ecx
1:      decl %ecx
        jnz 1b
        ret
