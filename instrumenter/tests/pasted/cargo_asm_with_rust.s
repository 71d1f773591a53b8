.section .text.proj::fnv,"ax",@progbits
	.globl	proj::fnv
	.p2align	4
.type	proj::fnv,@function
proj::fnv:
	push	esi
		// src/lib.rs:5
		pub extern "C" fn fnv(d: *const u8, n: usize) -> u32 {
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
