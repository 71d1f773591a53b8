; Everything that leaves the fast paths: accesses that are misaligned or cross lines and pages, more pages than the data
; TLB holds, switches through jump tables, function pointers, recursion, and branches that no counter predicts.
; with runs = 3
; expect stop = return
; expect sum = 3849743844
; expect paths = 391
; expect depth = 2203
; expect instructions = 56953
; expect cycles = 231578
.586
.model flat
.data
align 4096
pages     db 495616 dup(0)
cases     dd case_0,case_1,case_2,case_3,case_4,case_5,case_6,case_7
functions dd add_it,subtract_it,rotate_it,recurse
sum       dd 0
paths     dd 0
depth     dd 0
.code
start:
    mov ebp,3000
    mov eax,1
    mov edi,offset pages
    xor ebx,ebx
again:
    imul eax,eax,1664525
    add eax,1013904223
    mov ecx,eax
    shr ecx,29
    jmp cases[ecx*4]

case_0:                             ; misaligned in a line, then across two
    mov edx,[edi+1]
    add [edi+30],eax
    add ebx,edx
    jmp next
case_1:                             ; across two pages, read and written
    mov edx,[edi+4094]
    add dword ptr [edi+4093],eax
    mov [edi+8191],dx
    add ebx,edx
    jmp next
case_2:                             ; sixteen pages further: the same set of the TLB
    mov edx,[edi]
    add edx,[edi+65536]
    add edx,[edi+131072]
    add edx,[edi+196608]
    add edx,[edi+262144]
    add [edi+327680],edx
    add ebx,edx
    jmp next
case_3:                             ; through a pointer
    mov ecx,eax
    shr ecx,11
    and ecx,3
    mov edx,3
    call functions[ecx*4]
    jmp next
case_4:                             ; nobody predicts these
    test eax,10000h
    jz even_one
    test eax,20000h
    jnz other_one
    inc paths
    jmp next
even_one:
    test eax,40000h
    jnz next
    test eax,80000h
    jz next
    add paths,2
    jmp next
other_one:
    test eax,100000h
    jz next
    add paths,4
    jmp next
case_5:                             ; recursion of a depth nobody knows
    mov edx,eax
    shr edx,26
    and edx,7
    call recurse
    jmp next
case_6:                             ; bytes, words and both pipes at once
    mov dl,[edi+3]
    mov cl,[edi+5]
    mov [edi+7],dl
    mov [edi+9],cx
    mov edx,[edi+64]
    mov ecx,[edi+96]
    push edx
    push ecx
    pop edx
    pop ecx
    mov [edi+64],edx
    mov [edi+68],eax
    jmp next
case_7:                             ; on to somewhere else
    mov ecx,eax
    shr ecx,4
    and ecx,1FFFCh
    lea edi,pages[ecx]
next:
    dec ebp
    jnz again
    mov sum,ebx
    ret

add_it:
    add ebx,eax
    ret
subtract_it:
    push ebp
    mov ebp,esp
    sub ebx,eax
    mov [ebp-8],ebx
    leave
    ret
rotate_it:
    rol ebx,3
    jmp add_it
recurse:
    inc depth
    dec edx
    js bottom
    push edx
    call recurse
    pop edx
    add ebx,edx
bottom:
    ret
end start
