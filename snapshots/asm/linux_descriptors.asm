; A Linux program talks to itself through a pipe, shares open files by dup2 and dup3, asks what is ready, and moves
; pages to an address that it names. Without `--dir` there are no files.
; expect stop = exit 0
; expect made = 0
; expect first = 3
; expect sent = 5
; expect ready = 1
; expect events = 1
; expect got = 5
; expect text = 478560413032
; expect nothing = 0
; expect as_told = 20
; expect same = -22
; expect too_high = -9
; expect not_open = -9
; expect no_such = -9
; expect no_map = -19
; expect here = 0
; expect closed = 0
; expect some_left = 17
; expect readable = 1
; expect last_byte = 1
; expect at_end = 0
; expect hung_up = 16
; expect end_readable = 1
; expect rest = 0
; expect in_parts = 0
; expect waited = 3
; expect left = -29
; expect moved = 60000000h
; expect kept = 66
; expect zero = 0
; expect overlap = -22
; expect not_now = -11
; expect late = -110
; expect child = -10
; expect processor = 0
; expect no_file = -2
; expect unknown = -38
; expect line = int 80h call 120 (clone) is not supported: it returned ENOSYS
.586
.model flat
.data
made        dd -1
both        dd 0, 0
first       dd 0
sent        dd 0
ready       dd 0
events      dd 0
got         dd 0
text        dd 0, 0
nothing     dd -1
as_told     dd 0
same        dd 0
too_high    dd 0
not_open    dd 0
no_such     dd 0
no_map      dd 0
here        dd -1
closed      dd -1
some_left   dd 0
readable    dd 0
last_byte   dd 0
end_readable dd 0
rest        dd -1
in_parts    dd -1
waited      dd 0
set         dd 0
slept       dd 1, 2000000
before      dd 0, 0
after       dd 0, 0
root        db './/.',0
at_end      dd -1
hung_up     dd 0
left        dd 0
moved       dd 0
kept        dd 0
zero        dd -1
overlap     dd 0
not_now     dd 0
late        dd 0
child       dd 0
processor   dd -1
no_file     dd 0
unknown     dd 0
entry       dd 0
            dw 1, 0
hello       db 'hello'
path        db '/etc/passwd',0
align 4
word_held   dd 5
moment      dd 0, 1000
room        dd 0, 0
.code
call_of     macro   number, b, c, d, s, e
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            mov     esi,s
            mov     edi,e
            int     80h
            endm
start:      call_of 42, <offset both>, 0, 0, 0, 0
            mov     made,eax
            mov     eax,both
            mov     first,eax
            mov     entry,eax
            call_of 4, both+4, <offset hello>, 5, 0, 0
            mov     sent,eax
            call_of 168, <offset entry>, 1, -1, 0, 0
            mov     ready,eax
            movzx   eax,word ptr entry+6
            mov     events,eax
            call_of 3, both, <offset text>, 8, 0, 0
            mov     got,eax
; Nothing is left: a wait of a millisecond both by itself.
            call_of 168, <offset entry>, 1, 1, 0, 0
            mov     nothing,eax
            call_of 63, both+4, 20, 0, 0, 0
            mov     as_told,eax
            call_of 330, 20, 20, 0, 0, 0
            mov     same,eax
            call_of 63, 20, 5000, 0, 0, 0
            mov     too_high,eax
            call_of 41, 77, 0, 0, 0, 0
            mov     not_open,eax
            call_of 6, 20, 0, 0, 0, 0
            mov     closed,eax
            call_of 192, 0, 1000h, 1, 2, 77
            mov     no_such,eax
            call_of 192, 0, 1000h, 1, 2, both
            mov     no_map,eax
            call_of 12, <offset root>, 0, 0, 0, 0
            mov     here,eax
; What was written can be read after the writer is gone.
            call_of 4, both+4, <offset hello>, 1, 0, 0
            call_of 6, both+4, 0, 0, 0, 0
            call_of 168, <offset entry>, 1, -1, 0, 0
            movzx   eax,word ptr entry+6
            mov     some_left,eax
            mov     set,8
            call_of 142, 4, <offset set>, 0, 0, 0
            mov     readable,eax
            call_of 3, both, <offset room>, 8, 0, 0
            mov     last_byte,eax
            call_of 3, both, <offset room>, 8, 0, 0
            mov     at_end,eax
            mov     set,8
            call_of 142, 4, <offset set>, 0, 0, 0
            mov     end_readable,eax
; A second and 2,000,000 microseconds are 3 seconds, of which nothing is left.
            call_of 265, 1, <offset before>, 0, 0, 0
            call_of 142, 0, 0, 0, 0, <offset slept>
            call_of 265, 1, <offset after>, 0, 0, 0
            mov     eax,slept
            mov     rest,eax
            mov     eax,slept+4
            mov     in_parts,eax
            mov     eax,after
            sub     eax,before
            mov     waited,eax
            call_of 168, <offset entry>, 1, -1, 0, 0
            movzx   eax,word ptr entry+6
            mov     hung_up,eax
            call_of 19, both, 0, 0, 0, 0
            mov     left,eax
; Pages that move to 60000000h, and leave zeros where they were.
            mov     eax,192
            mov     ebx,50000000h
            mov     ecx,2000h
            mov     edx,3
            mov     esi,32h
            mov     edi,-1
            xor     ebp,ebp
            int     80h
            mov     byte ptr ds:[50000010h],42h
            call_of 163, 50000000h, 2000h, 2000h, 3, 50001000h
            mov     overlap,eax
            call_of 163, 50000000h, 2000h, 2000h, 7, 60000000h
            mov     moved,eax
            movzx   eax,byte ptr ds:[60000010h]
            mov     kept,eax
            movzx   eax,byte ptr ds:[50000010h]
            mov     zero,eax
            call_of 240, <offset word_held>, 0, 4, 0, 0
            mov     not_now,eax
            call_of 240, <offset word_held>, 0, 5, <offset moment>, 0
            mov     late,eax
            call_of 7, -1, 0, 0, 0, 0
            mov     child,eax
            call_of 318, <offset processor>, 0, 0, 0, 0
            call_of 195, <offset path>, <offset room>, 0, 0, 0
            mov     no_file,eax
            call_of 120, 0, 0, 0, 0, 0
            mov     unknown,eax
            call_of 1, 0, 0, 0, 0, 0
            end     start
