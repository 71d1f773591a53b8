; An unrolled body addresses the elements of an array, which its text names as the source does: the array and an offset
; in bytes.
; with memory = ideal
; expect line = 0 mov eax,[a] mov edx,[a+4]
; expect line = 1 add eax,[a+8] add edx,[a+0Ch] add takes 2
; expect line = 3 mov [b],eax mov [b+4],edx
; expect b = 12884901888
        .586
        .model  flat
        .data
a       dd      0,1,0,2
b       dq      0
        .code
start:
i       =       0
        rept    1
        mov     eax,[a+i]
        mov     edx,[a+i+4]
        add     eax,[a+i+8]
        add     edx,[a+i+12]
        mov     dword ptr [b],eax
        mov     dword ptr [b+4],edx
        endm
        ret
        end     start
