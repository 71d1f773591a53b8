; The preprocessor: macros within a line and of several lines, conditions and repeats.
%define COUNT 10
%define twice(x) ((x) * 2)
%define sum(a, b) a + b
%define reg ebx
%idefine Big 1000
%xdefine now COUNT
%define COUNT 20
%assign i 1
%macro prologue 0-1 8
        push ebp
        mov ebp, esp
        sub esp, %1
%endmacro
%macro epilogue 0
        leave
        ret
%endmacro
%macro zero 1-*
%rep %0
        xor %1, %1
%rotate 1
%endrep
%endmacro
%macro until 2
%%again:
        dec %1
        j%-2 %%again
        j%+2 %%out
%%out:
%endmacro
%macro store 2+
        db %1
        db %2
%endmacro
%macro store 1
        dw %1
%endmacro
%imacro Both 2
        mov %1, %2
        mov %2, %1
%endmacro
bits 32
section .text
_start: mov eax, COUNT
        mov ecx, now
        mov edx, twice(COUNT + 1)
        mov esi, sum(1, twice(3))
        mov reg, BIG
        prologue
        prologue 16
        zero eax, ecx, edx
        until ecx, z
        until edx, ne
        both eax, ecx
        epilogue
%rep 4
        dd i
%assign i i * 2
%endrep
%rep 100
%if i > 100
%exitrep
%endif
        db i
%assign i i + 30
%endrep
%ifdef COUNT
        db 1
%else
        db 0
%endif
%ifndef COUNT
        db 0
%elif COUNT = 20
        db 2
%else
        db 3
%endif
%ifidn reg, ebx
        db 4
%endif
%ifidni ABC, abc
        db 5
%endif
%ifnum 5
        db 6
%endif
%ifid eax
        db 7
%endif
%ifstr 'x'
        db 8
%endif
%ifempty
        db 9
%endif
%ifmacro zero
        db 10
%endif
%if 0
        this is passed over
%if 1
        db 99
%else
        db 98
%endif
%elif 1
        db 11
%else
        db 97
%endif
        store 'a'
        store 1, 2, 3
%undef COUNT
%ifndef COUNT
        db 12
%endif
%strlen n 'hello'
        db n
%defstr name some text
        db name, 0
%substr part 'abcdef' 2, 3
        db part
%define field(n) field_ %+ n
field_3 equ 33
        db field(3)
        db __BITS__
        epilogue
