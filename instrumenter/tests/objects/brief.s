# as --32 -g --debug-prefix-map=$PWD=. brief.s -o /tmp/brief.o
# as --32 brief_library.s -o /tmp/brief_library.o
# ld -m elf_i386 -z noseparate-code /tmp/brief.o /tmp/brief_library.o -o brief.elf
# A loop of ten rounds with lines after much code without lines, as that of a C library before a short `main`.
        .globl main
        .text
main:   movl $10,%ecx
own:    addl $3,%eax
        addl %eax,%edx
        decl %ecx
        jnz own
        ret
