	.text
	.globl	f
	.type	f, @function
f:
	movl	$4+v, %eax
	movl	$-4+v+12, %ecx
	movl	$(4+v), %edx
	subl	$v, %eax
	subl	$v, %ecx
	subl	$v, %edx
	ret
	.data
v:	.long 1, 2, 3, 4
