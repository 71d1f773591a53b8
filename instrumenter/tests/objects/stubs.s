# as --32 stubs.s -o /tmp/stubs.o
# ld -m elf_i386 -z noseparate-code /tmp/stubs.o -o stubs.elf
# `twice` is chosen at run time, so calls of it go through a stub, which the linker makes. `first` begins with a jump to
# another function, and so is not a stub.
        .globl _start, twice
        .type _start,@function
        .type chosen,@function
        .type resolver,@function
        .type twice,@gnu_indirect_function
        .type first,@function
        .type second,@function
        .text
_start: movl $__rel_iplt_start,%esi
        movl (%esi),%edi
        call *(%edi)
        movl %eax,(%edi)
        movl $20,%eax
        call twice
        call first
        leal -42(%eax),%ebx
        movl $1,%eax
        int $0x80
        .size _start, .-_start
resolver:
        movl $chosen,%eax
        ret
        .size resolver, .-resolver
        .set twice, resolver
chosen: addl %eax,%eax
        ret
        .size chosen, .-chosen
first:  jmp second
        .size first, .-first
second: incl %eax
        incl %eax
        ret
        .size second, .-second
