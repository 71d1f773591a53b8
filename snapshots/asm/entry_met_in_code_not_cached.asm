; The entry for `jmp back` is attached to the group of `jz there`. When that jumps, the first group at `there` meets the
; entry, but its line, which `one` and `two` displace now and then, has to be read first: it is asked for at the clock
; at which the group would enter D1, not after the refill.
.586
.model flat
.data
rounds  dd 0
counts  dd 1, 1, 2
.code
start:  mov ecx,6000
        xor esi,esi
again:  inc esi
        cmp esi,3
        jb keep
        xor esi,esi
keep:   test ecx,63
        jnz on
        call one
        call two
on:     mov edx,20
waits:  dec edx
        jnz waits
        mov edx,counts[esi*4]
        mov eax,edx
        add eax,eax
        add eax,eax
back:   dec edx
        jz there
        jmp back
        align 4096
        db 512 dup (90h)
there:  mov eax,1
        add rounds,eax
        dec ecx
        jnz again
        ret
        align 4096
        db 512 dup (90h)
one:    mov eax,2
        ret
        align 4096
        db 512 dup (90h)
two:    mov eax,3
        ret
end start
; expect rounds = 6000
; expect stop = return
