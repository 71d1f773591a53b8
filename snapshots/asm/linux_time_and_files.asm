; A Linux program asks for the time, which is that of the simulation: a microsecond is 100 clocks if no rate is given,
; and a run begins with the year 1997. There are no files: opening one tells so.
; expect stop = exit 0
; expect year = 852076800
; expect year64 = 852076800
; expect upper = 0
; expect elapsed = 0
; expect passed = 1
; expect bad_clock = -22
; expect of_day = 852076800
; expect zone = 0
; expect no_file = -2
; expect closed = 0
; expect not_open = -9
; expect read = 0
.586
.model flat
.data
real        dd 0, 0
real64      dq 0, 0
year        dd 0
year64      dd 0
upper        dd -1
since       dd -1, 0
later       dd 0, 0
elapsed     dd -1
passed      dd 0
bad_clock   dd 0
day         dd 0, 0
of_day      dd 0
zone        dd -1, -1
no_file     dd 0
closed      dd -1
not_open    dd 0
read        dd -1
parts       dd offset room, 4, offset room, 4
room        dd 0
file        db '/etc/passwd',0
.code
call_of     macro   number, b, c, d
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            int     80h
            endm
start:      call_of 265, 0, <offset real>, 0
            mov     eax,real
            mov     year,eax
            call_of 403, 0, <offset real64>, 0
            mov     eax,dword ptr real64
            mov     year64,eax
            mov     eax,dword ptr real64+4
            mov     upper,eax
            call_of 265, 1, <offset since>, 0
            mov     eax,since
            mov     elapsed,eax
            mov     ecx,1000
again:      dec     ecx
            jnz     again
            call_of 265, 1, <offset later>, 0
; A loop of 1,000 passes: from 10 microseconds to 1 millisecond.
            mov     eax,later+4
            sub     eax,since+4
            sub     eax,10000
            cmp     eax,990000
            setb    byte ptr passed
            call_of 265, 99, <offset real>, 0
            mov     bad_clock,eax
            call_of 78, <offset day>, <offset zone>, 0
            mov     eax,day
            mov     of_day,eax
            call_of 5, <offset file>, 0, 0
            mov     no_file,eax
            call_of 145, 0, <offset parts>, 2
            mov     read,eax
            call_of 6, 0, 0, 0
            mov     closed,eax
            call_of 6, 7, 0, 0
            mov     not_open,eax
            call_of 1, 0, 0, 0
            end     start
