; Nothing sets the direction flag.
        .386
        .model flat
        .data
        align 32
from    db 256 dup(1)
to      db 256 dup(2)
        .code
start:  mov ecx,256
fill:   mov al,to[ecx-1]
        dec ecx
        jnz fill
        mov esi,offset from
        mov edi,offset to
        mov ecx,256
next:   lodsb
        add al,2
        stosb
        loop next
        xor eax,eax
        ret
        end start
