; A function of the C library.
        global  main
        extern  printf
section .data
text    db      "%d", 10, 0
section .text
main:   push    dword 5
        push    dword text
        call    printf
        add     esp, 8
        xor     eax, eax
        ret
