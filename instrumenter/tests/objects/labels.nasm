; nasm -f elf32 labels.nasm -o /tmp/labels.o
; ld -m elf_i386 -z noseparate-code /tmp/labels.o -o labels.elf
; Labels and data without types and sizes, as NASM and GNU as make them: a local function, loops with local labels, and
; a variable at the end of its section.
section .data
count:  dd 5
table:  dd 1, 2, 3, 4
.last:  dd 7
section .bss
total:  resd 1
section .text
global _start
_start:
    mov ecx,[count]
    mov esi,table
.again:
    add eax,[esi]
    add esi,4
    dec ecx
    jnz .again
    call work
    mov [total],eax
    mov [table.last],eax
    mov eax,1
    xor ebx,ebx
    int 80h
work:
    mov ecx,3
.loop:
    inc eax
    dec ecx
    jnz .loop
    ret
