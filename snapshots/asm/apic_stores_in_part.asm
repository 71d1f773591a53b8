; A register of the local APIC is written by a store of all of its four bytes. Stores of a part, and stores beside it,
; write nothing.
; with monitor = perfmon
; expect whole = 65600
; expect part = 65600
; expect beside = 65600
; expect both = 65601
        .586p
        .mmx
        .model  flat
        .data
        align   8
eight   dd      10041h,7
whole   dd      0
part    dd      0
beside  dd      0
both    dd      0
        .code
ENTRY   equ     0FEE00340h
start:  mov     dword ptr ds:[0FEE000F0h],1FFh
        mov     dword ptr ds:[ENTRY],10040h
        mov     eax,ds:[ENTRY]
        mov     whole,eax
        mov     byte ptr ds:[ENTRY],55h
        mov     word ptr ds:[ENTRY+2],0
        mov     eax,ds:[ENTRY]
        mov     part,eax
        mov     dword ptr ds:[ENTRY+4],55h
        mov     dword ptr ds:[ENTRY-2],55h
        mov     eax,ds:[ENTRY]
        mov     beside,eax
        fild    qword ptr eight
        fistp   qword ptr ds:[ENTRY]
        mov     eax,ds:[ENTRY]
        mov     both,eax
        ret
        end     start
