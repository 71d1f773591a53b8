# llvm-mc -triple=i686-pc-windows-msvc -filetype=obj tables.s -o tables.obj
        .intel_syntax noprefix
        .text
        .globl _sum
_sum:   push dword ptr [esp+4]
        call _twice
        add esp,4
        add eax,dword ptr [_three]
        lea ecx,[_table]
        add eax,dword ptr [ecx+8]
        jmp _last
        .globl _last
_last:  ret
        .data
        .globl _three, _table
_three: .long 3
_table: .long _sum
        .secrel32 _seven
        .long 100
        .secidx _seven
        .rva _seven
_seven: .long 7
