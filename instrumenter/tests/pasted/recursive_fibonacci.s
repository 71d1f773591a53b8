	.text
	.globl	fib
	.type	fib, @function
fib:
	pushl	%esi
	pushl	%ebx
	subl	$4, %esp
	movl	16(%esp), %ebx
	cmpl	$1, %ebx
	jle	.L2
	subl	$12, %esp
	leal	-1(%ebx), %eax
	pushl	%eax
	call	fib
	movl	%eax, %esi
	subl	$2, %ebx
	movl	%ebx, (%esp)
	call	fib
	addl	$16, %esp
	leal	(%esi,%eax), %ebx
.L2:
	movl	%ebx, %eax
	addl	$4, %esp
	popl	%ebx
	popl	%esi
	ret
