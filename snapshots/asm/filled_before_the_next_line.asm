; A loop in one line of code keeps the bus busy with writes that miss, so that the line after it is not read while it
; runs. Counters that are read after each of four such loops say so: every round reads the line of the loop, and no
; line is missed but the four that the program has.
; expect reads = 727353760
; expect misses = 67372036
; expect stop = return
        .586
        .model  flat
        .data?
filled  dd      4096 dup (?)
        .data
reads   dd      0
misses  dd      0
        .code
start:
        mov     ecx,11h
        xor     edx,edx
        mov     eax,(0C0h+EV_CODE_READ) or (0C0h+EV_CODE_CACHE_MISS) shl 16
        wrmsr
        mov     edi,offset filled
        mov     ebx,4
        jmp     next
        align   32
next:   mov     ecx,300
fill:   mov     [edi],eax
        mov     [edi+8192],eax
        add     edi,4
        dec     ecx
        jnz     fill
        mov     ecx,12h
        rdmsr
        shl     reads,8
        add     reads,eax
        mov     ecx,13h
        rdmsr
        shl     misses,8
        add     misses,eax
        sub     edi,1200
        dec     ebx
        jnz     next
        ret
        end     start
