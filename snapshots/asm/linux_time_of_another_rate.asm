; The time that a Linux program is told is that of the rate which is said: at 50 MHz a clock takes 20 nanoseconds.
; with mhz = 50
; expect stop = exit 0
; expect of_a_clock = 0
; expect as_counted = 1
; expect of_day = 1
.586
.model flat
.data
since       dd -1, 0
later       dd 0, 0
before      dd 0, 0
after       dd 0, 0
stamps      dd 0
of_a_clock  dd -1
as_counted  dd 0
of_day      dd 0
.code
call_of     macro   number, b, c
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            int     80h
            endm
start:      call_of 78, <offset before>, 0
            call_of 265, 1, <offset since>
            rdtsc
            mov     stamps,eax
            mov     ecx,20000
again:      dec     ecx
            jnz     again
            rdtsc
            sub     eax,stamps
            mov     stamps,eax
            call_of 265, 1, <offset later>
            call_of 78, <offset after>, 0
            mov     eax,later+4
            sub     eax,since+4
            xor     edx,edx
            mov     ecx,20
            div     ecx
            mov     of_a_clock,edx
; The calls themselves take less than 100 clocks.
            sub     eax,stamps
            cmp     eax,100
            setb    byte ptr as_counted
; Microseconds of 50 clocks, rounded down.
            mov     eax,after+4
            sub     eax,before+4
            imul    eax,50
            sub     eax,stamps
            cmp     eax,400
            setb    byte ptr of_day
            call_of 1, 0, 0
            end     start
