; Each call pushes its return address, 00401040h or 00401141h, over the code at `pushed`, where it is executed six
; times: as `inc eax` or `inc ecx`, and an addition. The line of that code is not in the code cache when it is written,
; because three others of its set have been executed since. What was there before must not be executed again.
; expect stop = return
; expect counted = 6000
.586
.model flat
.data
pushed dd 0
    jmp ebx
    align 16
buffer db 32 dup(0)
counted dd 0
half dd 0
.code
start:
    mov edi,esp
    mov esi,1000
    xor ecx,ecx
    mov ebx,offset back
again:
    mov eax,offset buffer
    mov edx,6
    mov ebp,offset evict
    mov esp,offset pushed+4
    db (3Bh-($-start)) dup(90h)
    call repeated
    align 16
repeated:
    jmp near ptr pushed
back:
    dec edx
    jnz repeated
    mov eax,offset buffer
    mov edx,6
    jmp ebp
second:
    mov ebp,offset evict
    mov esp,offset pushed+4
    jmp further
    db 13Ch-($-start) dup(90h)
further:
    call repeated
third:
    dec esi
    jnz again
    mov esp,edi
    mov counted,ecx
    ret
    align 4096
evict:
    jmp evict_more
    align 4096
evict_more:
    jmp evict_last
    align 4096
evict_last:
    xor half,1
    jnz second
    jmp third
end start
