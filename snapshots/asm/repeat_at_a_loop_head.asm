; A repeat that begins the loop it is in. It ends each time, so that each execution counts, with its own start-up.
; expect stop = return
; expect instructions = 250003
; expect total = 50000
.586
.model flat
.data
total   dd 0
room    db 4 dup (0)
.code
start:  xor edx,edx
        mov ebx,25000
none:   rep stosb
        dec ebx
        jnz none
        mov ebx,25000
        cld
two:    rep stosb
        add edx,2
        dec ebx
        jnz again
        mov total,edx
        ret
again:  mov ecx,1
        mov edi,offset room
        jmp two
end start
