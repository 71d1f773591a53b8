; ENTER with operands of 32 bits on a stack of SP that is 0: the frame pointer is all of the new ESP, whose upper half
; no push changes.
; expect stop = exit 0
; expect frame = 2FFFCh
; expect top = 2FFF4h
; expect linked = 2FFFCh
; expect linked_top = 2FFF8h
; expect pushed = 2FFFCh
; expect narrow = 5555FFFEh
.model small
.586
.stack 100h
.data
frame       dd 0
top         dd 0
linked      dd 0
linked_top  dd 0
pushed      dd 0
narrow       dd 0
keep        dd 0
keep_ss     dw 0
.code
framed      macro   size, level, has_prefix, pointer
            mov     esp,20000h
            mov     ebp,55556666h
            if      has_prefix
            db      66h
            endif
            db      0C8h, size, 0, level
            mov     pointer,ebp
            endm
start:      mov     ax,@data
            mov     ds,ax
            mov     keep,esp
            mov     keep_ss,ss
            mov     ax,8000h
            mov     ss,ax
            framed  8, 0, 1, frame
            mov     top,esp
            framed  0, 1, 1, linked
            mov     linked_top,esp
            mov     eax,ss:[0FFF8h]
            mov     pushed,eax
            framed  8, 0, 0, narrow
            mov     ss,keep_ss
            mov     esp,keep
            mov     ax,4C00h
            int     21h
            end     start
