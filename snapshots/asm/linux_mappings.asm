; A Linux program asks for memory: what is asked in a wrong way, or of a file, is told apart from what there is no room
; for. A place of the program's own is taken as it is.
; expect stop = exit 0
; expect mapped = 1
; expect stored = 12345678h
; expect of_length_0 = -22
; expect of_no_kind = -22
; expect of_a_file = -9
; expect at_a_place = 60000000h
; expect not_elsewhere = -9
.586
.model flat
.data
mapped          dd 0
stored          dd 0
of_length_0     dd 0
of_no_kind      dd 0
of_a_file       dd 0
at_a_place      dd 0
not_elsewhere   dd 0
.code
; Length and flags to the result of mmap2, of pages that are read and written, at the address in EBX.
map macro length, flags
    mov ecx,length
    mov edx,3
    mov esi,flags
    mov edi,-1
    xor ebp,ebp
    mov eax,192
    int 80h
endm
start:
    xor ebx,ebx
    map 4096, 22h
    mov dword ptr [eax],12345678h
    mov edx,[eax]
    mov stored,edx
    cmp eax,-4096
    adc mapped,0
    xor ebx,ebx
    map 0, 22h
    mov of_length_0,eax
    map 4096, 20h
    mov of_no_kind,eax
    map 4096, 2
    mov of_a_file,eax
    mov ebx,60000000h
    map 4096, 32h
    mov at_a_place,eax
    map 4096, 12h
    mov not_elsewhere,eax
    mov eax,1
    xor ebx,ebx
    int 80h
end start
