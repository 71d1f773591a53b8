; Structures: offsets, sizes, and a structure that is placed.
bits 32
struc point
.x:     resd 1
.y      resd 1
.tag:   resb 3
        alignb 4
.next:  resd 1
endstruc
struc node, 8
node_left:  resd 1
node_right: resd 1
endstruc
section .data
origin: istruc point
        at point.x, dd 5
        at point.tag, db 'ab'
        at point.next, dd origin
        iend
list:   times 2 db point_size
        dd node_left, node_right, node_size, point.next
section .bss
room:   resb point_size * 4
section .text
_start: mov eax, [origin + point.y]
        mov ebx, [esi + point.next]
        mov ecx, [esi + point.x]
        add esi, point_size
        mov dword [room + point_size + point.y], 3
        ret
