; Adds up the second field of 200 records. -D ALIGNED=4 puts each field at a multiple of four bytes.
; expect sum = 600
IFNDEF ALIGNED
ALIGNED equ 1
ENDIF
        .586
        .model flat
sample  struc ALIGNED
kind    db 1
amount  dd 3
price   dd 2
sample  ends
        .data
        align 32
table   sample 200 dup (<>)
sum     dd 0
        .code
start:
        mov esi,offset table
        mov ecx,200
        xor eax,eax
        xor edx,edx
next:   add eax,[esi].sample.amount
        add edx,[esi].sample.price
        add esi,sizeof sample
        dec ecx
        jnz next
        mov sum,eax
        ret
        end start
