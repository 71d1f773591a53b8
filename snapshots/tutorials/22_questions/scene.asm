; One loop moves every particle, another counts those that crossed a border.
; A particle fills a line of the cache unless it is PACKED.
        .586
        .model  flat
        .data
        align   32
particle struct
place   dd      ?
speed   dd      ?
ifndef PACKED
others  db      24 dup(?)
endif
particle ends
parts   particle 512 dup(<>)
crossed dd      0
        .code
fill    proc
        mov     ecx,512
        mov     edi,offset parts
        mov     eax,1
put:    imul    eax,eax,69069
        inc     eax
        mov     [edi].particle.speed,eax
        add     edi,sizeof particle
        dec     ecx
        jnz     put
        ret
fill    endp
move    proc
        mov     ecx,512
        mov     edi,offset parts
step:   mov     eax,[edi].particle.place
        mov     edx,[edi].particle.speed
        add     eax,edx
        mov     [edi].particle.place,eax
        add     edi,sizeof particle
        dec     ecx
        jnz     step
        ret
move    endp
count   proc
        mov     ecx,512
        mov     edi,offset parts
check:  cmp     [edi].particle.place,1000000
        jb      inside
        inc     crossed
        sub     [edi].particle.place,1000000
inside: add     edi,sizeof particle
        dec     ecx
        jnz     check
        ret
count   endp
start:  call    fill
        mov     esi,200
again:  call    move
        call    count
        dec     esi
        jnz     again
        ret
        end     start
