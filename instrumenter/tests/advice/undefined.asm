; `imul` leaves flags undefined, but they are overwritten before anything reads them, and so are those before it.
        .586
        .model flat
        .code
main:   mov ecx,50
        mov edx,1
next:   imul edx,ecx
        add edx,3
        loop next
        xor eax,eax
        cmp eax,1
        ret
        end main
