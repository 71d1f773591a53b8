; A Linux program sleeps twice for as many seconds as fit 64 bits with a sign. Sleeping takes no clocks, and the
; calendar goes on from there: it ends before the seconds of 64 bits do. Memory that is not needed any more holds zeros
; again, also where nothing may be accessed meanwhile.
; expect stop = exit 0
; expect slept = 0
; expect again = 0
; expect asked = 1
; expect times = 8
; expect mapped = 7
; expect advised = 0
; expect emptied = 0
.586
.model flat
.data
long        dd -1, 7FFFFFFFh, 999999999, 0
slept       dd -1
again       dd -1
asked       dd 0
times       dd 0
now         dd 4 dup(0)
mapped      dd 0
advised     dd -1
emptied     dd -1
.code
call_of     macro   number, b, c, d
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            int     80h
            endm
start:      call_of 407, 1, 0, <offset long>
            mov     slept,eax
            call_of 407, 1, 0, <offset long>
            mov     again,eax
            call_of 13, 0, 0, 0
            mov     asked,1
; Clocks 0 to 11, of which one does not exist and some are told by others.
            mov     edi,0
each:       call_of 403, edi, <offset now>, 0
            cmp     eax,0
            jne     none
            inc     times
none:       inc     edi
            cmp     edi,8
            jb      each
            mov     eax,192
            mov     ebx,0
            mov     ecx,4096
            mov     edx,3
            mov     esi,22h
            mov     edi,-1
            mov     ebp,0
            int     80h
            mov     esi,eax
            mov     dword ptr [esi],7
            mov     eax,[esi]
            mov     mapped,eax
            call_of 125, esi, 4096, 0
            call_of 219, esi, 4096, 4
            mov     advised,eax
            call_of 125, esi, 4096, 1
            mov     eax,[esi]
            mov     emptied,eax
            call_of 1, 0, 0, 0
            end     start
