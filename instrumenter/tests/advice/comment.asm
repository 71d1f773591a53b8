; The comment of LOOP stays with the branch that stands for it.
        .586
        .model flat
        .code
start:  mov ecx,30
        mov esi,ecx
again:  mov eax,ecx     ; the number
        mov edx,eax     ; of the round
        add esi,edx     ; and their sum
        loop again      ; all of them
        xor eax,eax
        ret
        end start
