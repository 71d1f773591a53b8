	bits 32
	mov eax, [x]
	add eax, [x+4]
	mov ecx, 3
.l:	dec ecx
	jnz .l
x	dd 5, 6
