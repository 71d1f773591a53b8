; Every kind of repeat block, and conditions on earlier definitions.
; expect stop = return
; expect table_sum = 140
; expect letters = 3
; expect halvings = 7
; expect chosen = 2
; expect defined = 1
.586
.model flat
.data
n = 0
table label dword
rept 7
    n = n+1
    dd n*n
endm
table_sum dd 0
letters   dd 0
halvings  dd 0
chosen    dd 0
defined   dd 0
size_of_it equ 100
.code
start:
    xor eax,eax
    irp offset_of,<0,4,8,12,16,20,24>
        add eax,table[offset_of]
    endm
    mov table_sum,eax
    irpc letter,abc
        inc letters
        mov b&letter&_seen,1
    endm
    left = size_of_it
    while left gt 0
        inc halvings
        left = left/2
    endm
    if size_of_it lt 50
        mov chosen,1
    elseif size_of_it le 100
        mov chosen,2
    else
        mov chosen,3
    endif
    ifdef size_of_it
        mov defined,1
    endif
    ifndef size_of_it
        mov defined,2
    endif
    ret
.data
ba_seen dd 0
bb_seen dd 0
bc_seen dd 0
end start
