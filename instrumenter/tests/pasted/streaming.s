	.text
	.globl	scale
scale:
	movl	4(%esp), %eax
	movss	(%eax), %xmm0
	mulss	%xmm0, %xmm0
	ret
