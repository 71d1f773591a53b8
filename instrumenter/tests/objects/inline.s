# as --32 -g --debug-prefix-map=$PWD=. inline.s -o /tmp/inline.o
# ld -m elf_i386 -z noseparate-code /tmp/inline.o -o inline.elf
# A loop with data between its instructions: bytes that are no instruction, before a line and inside one, and a byte
# that would take the next instruction for its operand.
        .globl _start
        .text
_start: movl $20000,%ecx
        movl $cells,%edi
own:    leal 4(%edi),%esi
        movl (%esi),%eax
        jmp line
        .byte 0xff,0xff
line:   leal 4(%edi),%ebx
        movl (%ebx),%eax
        jmp inside; .byte 0xff,0xff; inside: leal 4(%edi),%ebp; movl (%ebp),%eax
        jmp taken
        .byte 0xb8
taken:  leal 4(%edi),%edx
        movl (%edx),%eax
        decl %ecx
        jnz own
        xorl %ebx,%ebx
        movl $1,%eax
        int $0x80
        .p2align 5
cells:  .long 1,2
