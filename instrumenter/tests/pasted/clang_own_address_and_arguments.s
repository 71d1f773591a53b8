	.text
	.globl	f
	.type	f,@function
f:
	pushl	%esi
	calll	.L0$pb
.L0$pb:
	popl	%eax
	movl	8(%esp), %esi
	movl	12(%esp), %ecx
	xorl	%eax, %eax
.L4:
	addl	(%esi), %eax
	addl	$4, %esi
	decl	%ecx
	jne	.L4
	popl	%esi
	retl
	.size	f, .-f
