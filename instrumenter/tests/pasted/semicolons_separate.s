	.text
	.globl	f
	.type	f, @function
f:
	pushl	%edi; pushl %esi
	movl	$v, %edi; movl $v+16, %esi
	movl	$4, %ecx; movl $7, %eax; cld
	rep; stosl
	movl	v+12, %eax; movl $3, %ecx
	leal	-16(%edi), %edi; rep; movsl
	fildl	v; fistpl w
	addl	w, %eax
	popl	%esi; popl %edi
	ret
	.data
v:	.long 1, 2, 3, 4, 5, 6, 7, 8
w:	.long 0
