# The code around `main`: it has no lines, and each of its instructions is executed a few times.
        .globl _start
        .text
_start: movl $6,%ebp
again:  movl $table,%ebx
        .rept 700
        movl (%ebx),%eax
        addl %eax,%edx
        jc 1f
1:      addl $4,%esi
        .endr
        decl %ebp
        jnz again
        call main
        movl %eax,%ebx
        movl $200,%ecx
2:      imul %ecx,%edx
        decl %ecx
        jnz 2b
        movl $1,%eax
        int $0x80
