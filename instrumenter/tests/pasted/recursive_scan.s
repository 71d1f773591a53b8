	.intel_syntax noprefix
	.text
	.globl	walk
	.type	walk, @function
walk:
	mov	eax, DWORD PTR [esp+8]
	test	eax, eax
	jle	.L1
	mov	edx, DWORD PTR [esp+4]
.L3:
	inc	edx
	cmp	BYTE PTR [edx], 65
	jne	.L3
	dec	eax
	push	eax
	push	edx
	call	walk
	add	esp, 8
.L1:
	ret
