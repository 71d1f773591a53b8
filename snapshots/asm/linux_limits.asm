; What Linux tells a process that it may use: a stack of 8 MiB that nothing limits further, and 1024 files of 4096; each
; as the call tells it that is asked. After standard input is closed, there is none.
; expect stop = exit 0
; expect stack = 800000h
; expect most = -1
; expect most_of_old = 7FFFFFFFh
; expect files = 1024
; expect most_files = 4096
; expect raised = -1
; expect closed = 0
; expect after = -9
.586
.model flat
.data
stack       dd 0
most        dd 0
stack_of_old dd 0
most_of_old dd 0
files       dd 0
most_files  dd 0
raised      dd 0
closed      dd -1
after       dd 0
byte_read   db 0
.code
call_of     macro   number, b, c, d
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            int     80h
            endm
start:      call_of 191, 3, <offset stack>, 0
            call_of 76, 3, <offset stack_of_old>, 0
            call_of 191, 7, <offset files>, 0
            inc     most_files
            call_of 75, 7, <offset files>, 0
            mov     raised,eax
            dec     most_files
            call_of 6, 0, 0, 0
            mov     closed,eax
            call_of 3, 0, <offset byte_read>, 1
            mov     after,eax
            call_of 1, 0, 0, 0
            end     start
