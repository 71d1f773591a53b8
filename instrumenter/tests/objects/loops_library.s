# Code of loops.elf without lines; loops.s says how it is assembled.
        .globl before, behind
        .text
before: movl $900,%ecx
1:      decl %ecx
        jnz 1b
        ret
behind: movl $900,%ecx
1:      decl %ecx
        jnz 1b
        ret
