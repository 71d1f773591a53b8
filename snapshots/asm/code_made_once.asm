; Code that the program makes has no source line. What is executed of it once is not listed to its end.
; expect line = 3.8% 248 489 code outside of functions
; expect stop = return
.model small
.stack 100h
.code
start:      mov     ax,cs
            mov     es,ax
            mov     di,5000h
            mov     cx,1000
            mov     al,90h
            rep     stosb
            mov     al,0CBh
            stosb
            mov     ax,5000h
            jmp     ax
            end     start
