; Multiplications that LEA and shifts do, and a short read that a cleared register makes pair.
        .586
        .model flat
        .data
bytes   db 64 dup (7)
sum     dd 0
        .code
start:  mov esi,offset bytes
        mov ecx,64
next:   movzx eax,byte ptr [esi]
        imul eax,eax,5
        imul edx,ecx,8
        imul eax,4
        add sum,eax
        add sum,edx
        inc esi
        dec ecx
        jnz next
        xor eax,eax
        ret
        end start
