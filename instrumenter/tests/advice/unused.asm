; EDX and EBX are not used: EDX may be taken, but EBX belongs to the caller.
.586
.model flat
.data
tab dd 64 dup (5)
v dd 7
tmp dd 0
.code
main proc
    mov ecx,64
    mov esi,offset tab
next:
    mov eax,[esi]
    xchg eax,v
    mov [esi],eax
    add esi,4
    dec ecx
    jnz next
    ret
main endp
end main
