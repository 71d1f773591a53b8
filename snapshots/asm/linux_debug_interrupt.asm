; ICEBP raises SIGTRAP in a Linux program: its handler is told the reason TRAP_BRKPT and the place after the
; instruction. The trap of INT3, which has no handler then, is the result of the run.
; expect stop = fault 3 line 33
; expect times = 1
; expect reason = 1
; expect behind = 1
.586
.model flat
.data
            align   4
trap        dd offset on_trap, 80000004h, 0, 0, 0
times       dd 0
reason      dd 0
behind      dd 0
.code
on_trap:    inc     times
            mov     eax,[esp+8]
            mov     ecx,[eax+8]
            mov     reason,ecx
            mov     eax,[esp+12]
            mov     ecx,[eax+20+14*4]
            sub     ecx,offset at_it
            mov     behind,ecx
            ret
start:      mov     eax,174
            mov     ebx,5
            mov     ecx,offset trap
            xor     edx,edx
            mov     esi,8
            int     80h
at_it:      icebp
; The handler is of one trap.
            int     3
            end     start
