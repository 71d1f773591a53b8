; Fields by name, with initial values, and through a register.
; expect stop = return
; expect size_of_point = 12
; expect weighted = 320
; expect tag_of_second = 7
.586
.model flat
point struc
    x   dd 1
    y   dd 2
    tag dw 7
    pad dw ?
point ends
.data
origin  point <>
corner  point <100,110,9>
size_of_point dd size point
weighted      dd 0
tag_of_second dd 0
.code
start:
    mov ebx,offset corner
    mov eax,[ebx].point.x
    add eax,corner.y
    add eax,corner.y
    mov weighted,eax
    movzx eax,origin.tag
    mov tag_of_second,eax
    ret
end start
