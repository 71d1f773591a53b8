.section .text.<proj::Fnv as core::hash::Hasher>::write,"ax",@progbits
	.globl	<proj::Fnv as core::hash::Hasher>::write
	.p2align	4
.type	<proj::Fnv as core::hash::Hasher>::write,@function
<proj::Fnv as core::hash::Hasher>::write:
	push	esi
	mov	ecx, dword ptr [esp + 12]
	test	ecx, ecx
	je	.LBB1_1
	mov	edx, dword ptr [esp + 8]
	mov	eax, -2128831035
	.p2align	4
.LBB1_4:
	movzx	esi, byte ptr [edx]
	xor	esi, eax
	imul	eax, esi, 16777619
	inc	edx
	dec	ecx
	jne	.LBB1_4
	pop	esi
	ret
.LBB1_1:
	mov	eax, -2128831035
	pop	esi
	ret
