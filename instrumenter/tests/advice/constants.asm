; Named constants: the replacements of their values, with the name and the value in a comment.
WIDTH   equ     320
SIZE    =       8
        .586
        .model flat
        .data
points  dd      64 dup (7)
sum     dd      0
        .code
start:  mov     esi,offset points
        mov     ecx,64
next:   mov     eax,[esi]
        imul    eax,SIZE
        imul    edx,ecx,WIDTH/2         ; the row
        imul    edx,WIDTH*2             ; and another one
        add     sum,eax
        add     sum,edx
        add     esi,4
        dec     ecx
        jnz     next
        xor     eax,eax
        ret
        end     start
