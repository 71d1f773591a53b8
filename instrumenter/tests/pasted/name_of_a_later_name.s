	.text
	.globl	f
	.type	f, @function
f:
	movl	.LC4, %eax
	call	twice
	ret
	.type	g, @function
g:
	addl	%eax, %eax
	ret
	.set	twice,g
	.data
	.set	.LC4,.LC5
	.align 8
.LC5:
	.long	7
	.long	8
