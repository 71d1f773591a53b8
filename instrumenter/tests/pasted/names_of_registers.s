	.text
	.globl	main
main:
	pushl	$segment
	call	macro
	addl	$4, %esp
	movl	eax, %ecx
	addl	%ecx, %eax
	movl	%eax, times+4
	ret
macro:	movl	4(%esp), %edx
	movl	(%edx), %eax
	jmp	loop
loop:	incl	%eax
	ret
	.data
segment: .long 5
eax:	.long 6
times:	.long 1, 2
