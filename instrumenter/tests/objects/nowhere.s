# A jump to nowhere, without line numbers: with an argument, into the stack, where it goes on for ever.
# as --32 nowhere.s -o nowhere.o && ld -m elf_i386 -N nowhere.o -o nowhere.elf && strip --strip-debug nowhere.elf
        .intel_syntax noprefix
        .globl  _start
        .type   leap, @function
leap:   xor     eax, eax
        cmp     ecx, 1
        je      go
        push    0xFEEB
        mov     eax, esp
go:     jmp     eax
_start: mov     ecx, [esp]
        call    leap
