; Signals that wait are delivered as Linux does it: those of the thread before those of the process, of these what
; instructions raise first, each from the lowest number on; the handlers hold all others back. A signal of real time is
; delivered as often as it was raised, another one once. Of the former 1024 may wait: one more is refused, or if `kill`
; raises it, delivered once however often that was.
; expect stop = exit 0
; expect order = 0F2222080B0A0C22h
; expect runs = 8
; expect waiting = 1024
; expect no_room = -11
; expect silent = 0
; expect queued = 1025
; expect cancelled = 0
; expect later = 1
; expect no_thread = -22
; expect no_group = -22
; expect no_pointer = -14
; expect no_size = -22
; expect no_such = -22
; expect of_parts = -22
; expect of_all_parts = 0
.586
.model flat
.data
note_action dd offset note, 0, 0, -1, -1
one_action  dd offset one, 0, 0, -1, -1
default     dd 0, 0, 0, 0, 0
all         dd -1, -1
none        dd 0, 0
order       dq 0
runs        dd 0
counted     dd 0
waiting     dd 0
no_room     dd 0
silent      dd -1
queued      dd 0
cancelled   dd 0
later       dd 0
no_thread   dd 0
no_group    dd 0
no_pointer  dd 0
no_size     dd 0
no_such     dd 0
of_parts    dd 0
of_all_parts dd -1
longest     dd offset order, 0, offset order, 80000000h
long        dd offset order, 7FFFFFFFh, offset order, 7FFFFFFFh
.code
call_of     macro   number, b, c, d
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            int     80h
            endm
action      macro   signal, what
            mov     esi,8
            call_of 174, signal, what, 0
            endm
mask        macro   set
            mov     esi,8
            call_of 175, 2, <offset set>, 0
            endm
process     macro   signal
            call_of 37, 1, signal, 0
            endm
thread      macro   signal
            call_of 238, 1, signal, 0
            endm

start:      irp     signal,<8,10,11,12,15,34>
            action  signal, <offset note_action>
            endm
            mask    all
            process 12
            process 34
            thread  34
            thread  15
            thread  34
            process 11
            process 10
            process 10
            process 8
            thread  15
            mask    none
; As many as may wait, and one that is told that there is no room, as `kill` is not.
            action  40, <offset one_action>
            mask    all
            mov     edi,1024
more:       thread  40
            cmp     eax,1
            adc     waiting,0
            dec     edi
            jnz     more
            thread  40
            mov     no_room,eax
            process 34
            process 34
            mov     silent,eax
            action  34, <offset one_action>
            mask    none
            mov     eax,counted
            mov     queued,eax
; What continues a program drops what stops it, and the other way round.
            mov     counted,0
            action  18, <offset one_action>
            action  20, <offset one_action>
            mask    all
            thread  18
            process 20
            process 18
            action  18, <offset default>
            mask    none
            mov     eax,counted
            mov     cancelled,eax
            action  18, <offset one_action>
            mask    all
            thread  18
            thread  20
            mask    none
            mov     eax,counted
            mov     later,eax
; Numbers that no thread has, an action that cannot be read, a set of another size, a signal that there is not.
            call_of 238, 0, 10, 0
            mov     no_thread,eax
            call_of 270, -1, 1, 10
            mov     no_group,eax
            action  99, 10h
            mov     no_pointer,eax
            mov     esi,4
            call_of 174, 99, 10h, 0
            mov     no_size,eax
            action  99, <offset default>
            mov     no_such,eax
; A piece of 2 GB, and 4 GB in two pieces, of which nothing is read because there is no input.
            call_of 145, 0, <offset longest>, 2
            mov     of_parts,eax
            call_of 145, 0, <offset long>, 2
            mov     of_all_parts,eax
            call_of 1, 0, 0, 0

note:       mov     eax,[esp+4]
            mov     edx,dword ptr order
            mov     ecx,dword ptr order+4
            shld    ecx,edx,8
            shl     edx,8
            or      edx,eax
            mov     dword ptr order,edx
            mov     dword ptr order+4,ecx
            inc     runs
            ret

one:        inc     counted
            ret
            end     start
