; DOS calls that fail: a write from unmapped memory (error 5), to a file that is not open (6), and an unsupported
; function. 1450704897 is 56780001h: AX holds error 1, the upper half is unchanged.
; expect stop = end
; expect nowhere = 5
; expect nowhere_carry = 1
; expect file = 6
; expect file_carry = 1
; expect function = 1450704897
; expect function_carry = 1
; expect written = 2
; expect written_carry = 0
        .data
text           db 'ok'
nowhere        dd 0
nowhere_carry  db 0
file           dd 0
file_carry     db 0
function       dd 0
function_carry db 0
written        dd 0
written_carry  db 0
        .code
        mov     eax,4000h
        mov     ebx,1
        mov     ecx,4
        mov     edx,0F0000000h
        int     21h
        mov     nowhere,eax
        setc    nowhere_carry
        mov     eax,12344000h
        mov     ebx,7
        mov     edx,offset text
        int     21h
        mov     file,eax
        setc    file_carry
        mov     eax,56785700h
        int     21h
        mov     function,eax
        setc    function_carry
        mov     eax,4000h
        mov     ebx,1
        mov     ecx,2
        mov     edx,offset text
        int     21h
        mov     written,eax
        setc    written_carry
