	.text
f:	movl	$5, %eax
	ret
	.end
	no such line
	movl	$6, %eax
