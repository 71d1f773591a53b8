	.file	"two.c"
	.intel_syntax noprefix
	.text
	.p2align 4
	.globl	cube
	.type	cube, @function
cube:
	mov	edx, DWORD PTR 4[esp]
	mov	eax, edx
	imul	eax, edx
	imul	eax, edx
	ret
	.size	cube, .-cube
	.p2align 4
	.globl	hot
	.type	hot, @function
hot:
	push	esi
	push	ebx
	mov	edx, DWORD PTR 16[esp]
	test	edx, edx
	jle	.L6
	mov	eax, DWORD PTR 12[esp]
	xor	ebx, ebx
	lea	esi, [eax+edx*4]
	.p2align 4,,7
	.p2align 3
.L5:
	mov	ecx, DWORD PTR [eax]
	add	eax, 4
	mov	edx, ecx
	imul	edx, ecx
	imul	edx, ecx
	add	ebx, edx
	cmp	esi, eax
	jne	.L5
	mov	eax, ebx
	pop	ebx
	pop	esi
	ret
	.p2align 4,,7
	.p2align 3
.L6:
	xor	ebx, ebx
	mov	eax, ebx
	pop	ebx
	pop	esi
	ret
	.size	hot, .-hot
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
