; An address stays a name: it is another number once data are added.
        .586
        .data
a       dd 1
v       dd 7,8,9,10
        .code
start:  mov ecx,100
        mov esi,0
l:      mov eax,esi
        add eax,offset v
        mov ebx,[eax]
        add edx,ebx
        dec ecx
        jnz l
        mov eax,ebx
        ret
        end start
