; A far return to where nothing is: zeros are executed up to the reset vector. That is no reset that the program wants.
; expect stop = strayed
; expect instructions = 125
.model small
.stack 100h
.code
start:      mov     ax,0F000h
            push    ax
            mov     ax,0FF00h
            push    ax
            retf
            end     start
