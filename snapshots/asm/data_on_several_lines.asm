; Data on several lines under one name is shown whole: a table, elements of several sizes, structures, and a label.
; expect stop = end
; expect line =   tab: 1 element of 3 changed; tab[1] = 99 (63h), was 2
; expect line =   mixed: 1 element of 10 changed; mixed[4] = 119 (77h), was 3
; expect line =   points: 1 element of 2 changed; points[1].y = 102 (66h), was 4
; expect line =   spread: 1 element of 2 changed; spread[1] = 5, was 2
        .data
tab     dd 1
        dd 2
        dd 3
mixed   dw 1,2
        db 3,4
        dd 5
point   struc
x       dw ?
y       dw ?
point   ends
points  point <1,2>
        point <3,4>
spread  label dword
        dd 1,2
other   db 7
        .code
start:  mov tab+4,99
        mov byte ptr mixed+4,77h
        mov word ptr points+6,66h
        mov spread+4,5
        mov eax,tab+4
        end start
