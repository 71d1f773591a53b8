WRONG	macro	what
	mov	what, unknown
	endm

	mov	eax, 1
	WRONG	ebx
	mov	al, 300
	add	eax, eax
again:	jmp	again
