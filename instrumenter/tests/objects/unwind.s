# as --32 unwind.s -o unwind.o
# Code that refers to a section that is not linked.
        .section .eh_frame, "a"
        .long 0
frames:
        .text
        .globl find
find:   movl $frames, %eax
        ret
