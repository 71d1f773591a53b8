	.text
	.globl	main
main:
	endbr32
	movl	$5, %eax
	ret
