	.text
f:	movw	$7, (%esp)
	fild	(%esp)
	fiadds	(%esp)
	fistps	(%esp)
	movzwl	(%esp), %eax
	pushw	%ds
	popw	%ds
	pushw	%fs
	popw	%fs
	ret
