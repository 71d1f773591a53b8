        xor     ebx,ebx
crc:    mov     bl,[esi]
        xor     bl,al
        shr     eax,8
        inc     esi
        xor     eax,crctable[ebx*4]
        dec     ecx
        jnz     crc
;; setup
        mov     esi,offset message
        mov     ecx,1000
;; data
crctable dd 520 dup(0)
message db 2048 dup(1)
