	.intel_syntax noprefix
	.text
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"%d\n"
	.text
	.globl	main
	.type	main, @function
main:
	push	55
	push	OFFSET FLAT:.LC0
	call	printf
	add	esp, 8
	xor	eax, eax
	ret
	.size	main, .-main
