# as --32 marks.s -o marks.o
# A symbol in an empty section, between sections with bytes.
        .globl ends, last
        .data
        .long 1, 2
last:   .long 3
        .section .data.end, "aw"
ends:
        .text
        .globl distance
distance:
        movl $ends, %eax
        subl $last, %eax
        ret
