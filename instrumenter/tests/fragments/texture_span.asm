; one pixel a round: the fraction of U in the high half of ECX, its whole part in EBX's carry
pixel:  mov     al,[esi]
        add     ecx,edx
        adc     esi,ebp
        mov     [edi],al
        inc     edi
        dec     ebx
        jnz     pixel
;; setup
        mov     esi,offset texture
        mov     edi,offset screen
        mov     ebx,1000
        xor     ebp,ebp
;; data
texture db 2048 dup(1)
        dd 8 dup(0)
screen  db 2048 dup(1)
