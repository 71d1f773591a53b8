; affine texture mapper inner loop, 256x256 texture, 8.8 fixed point (NASM)
; esi = texture (64k aligned), edi = dest, ebp = count
; bx = v.frac, dx = u.frac ...
        bits 32
global  tmap_span
section .text
tmap_span:
        push    ebx
        push    esi
        push    edi
        push    ebp
        mov     esi,[esp+20]        ; texture
        mov     edi,[esp+24]        ; dest
        mov     ebp,[esp+28]        ; count
        mov     ecx,[esp+32]        ; u 8.8
        mov     edx,[esp+36]        ; v 8.8
        xor     ebx,ebx
.pix:
        mov     bl,ch               ; u int
        mov     bh,dh               ; v int
        mov     al,[esi+ebx]
        mov     [edi],al
        add     cx,[du]
        add     dx,[dv]
        inc     edi
        dec     ebp
        jnz     .pix
        pop     ebp
        pop     edi
        pop     esi
        pop     ebx
        ret
section .data
du      dw 0x0123
dv      dw 0x0045
