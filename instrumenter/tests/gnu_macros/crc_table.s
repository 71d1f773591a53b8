	.text
	.globl	crc32
crc32:	movl	8(%esp), %ecx
	movl	4(%esp), %edx
	movl	$-1, %eax
0:	movzbl	(%edx), %ebx
	xorb	%al, %bl
	shrl	$8, %eax
	xorl	crc_table(,%ebx,4), %eax
	incl	%edx
	loop	0b
	notl	%eax
	ret
	.section .rodata
	.balign	4
	.macro	entry value
	.set	crc, \value
	.rept	8
	.if	crc & 1
	.set	crc, (crc >> 1) ^ 0xedb88320
	.else
	.set	crc, crc >> 1
	.endif
	.endr
	.long	crc
	.endm
crc_table:
	.set	n, 0
	.rept	256
	entry	n
	.set	n, n + 1
	.endr
