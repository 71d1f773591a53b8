# Code of brief.elf without lines; brief.s says how it is assembled.
        .globl _start
        .text
_start: movl $2500,%ecx
1:      decl %ecx
        jnz 1b
        call main
        movl $50,%ecx
1:      decl %ecx
        jnz 1b
        movl $1,%eax
        xorl %ebx,%ebx
        int $0x80
