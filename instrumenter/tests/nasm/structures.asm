; Structures: offsets in operands, and one that is placed.
struc point
.x:     resd 1
.y:     resd 1
endstruc
global _start
section .data
corner: istruc point
        at point.x, dd 3
        at point.y, dd 4
        iend
section .text
_start: mov esi, corner
        mov ebx, [esi + point.x]
        add ebx, [esi + point.y]
        add ebx, point_size
        mov eax, 1
        int 80h
