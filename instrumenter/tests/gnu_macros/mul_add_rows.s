# A row of a product, unrolled: r[i] += a[i] * w with the carry in %ecx.
	.text
	.globl	mul_add_words
	.type	mul_add_words, @function
	.macro	step at, first=0
	movl	\at(%esi), %eax
	mull	%ebp
	.if	\first
	xorl	%ecx, %ecx
	.endif
	addl	%ecx, %eax
	adcl	$0, %edx
	addl	%eax, \at(%edi)
	adcl	$0, %edx
	movl	%edx, %ecx
	.endm
mul_add_words:
	pushl	%ebp; pushl %edi; pushl %esi
	movl	16(%esp), %edi
	movl	20(%esp), %esi
	movl	24(%esp), %ebp
	step	0, first=1
	.set	offset, 4
	.rept	7
	step	offset
	.set	offset, offset + 4
	.endr
	movl	%ecx, %eax
	popl	%esi
	popl	%edi
	popl	%ebp
	ret
	.size	mul_add_words, .-mul_add_words
