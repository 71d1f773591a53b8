# One round of a block cipher with four tables.
	.text
	.globl	aes_two_rounds
	.macro	column out, a, b, c, d, key
	movzbl	\a, %ebp
	movl	tables(,%ebp,4), %ebp
	movl	%ebp, \out
	movzbl	\b, %ebp
	xorl	tables+1024(,%ebp,4), \out
	movl	\c, %ebp
	shrl	$16, %ebp
	andl	$255, %ebp
	xorl	tables+2048(,%ebp,4), \out
	movl	\d, %ebp
	shrl	$24, %ebp
	xorl	tables+3072(,%ebp,4), \out
	xorl	\key, \out
	.endm
	.macro	round number, last=no
	column	%esi, %al, %bh, %ecx, %edx, "\number*16(%edi)"
	pushl	%esi
	column	%esi, %bl, %ch, %edx, %eax, "\number*16+4(%edi)"
	pushl	%esi
	column	%esi, %cl, %dh, %eax, %ebx, "\number*16+8(%edi)"
	pushl	%esi
	column	%esi, %dl, %ah, %ebx, %ecx, "\number*16+12(%edi)"
	.irp	to, %edx, %ecx, %ebx, %eax
	.ifc	\to, %edx
	movl	%esi, %edx
	.else
	popl	\to
	.endif
	.endr
	.ifnc	\last, no
	bswap	%eax
	.endif
	.endm
aes_two_rounds:
	round	1
	round	number=2, last=yes
	ret
	.data
	.align	32
tables:
	.set	seed, 1
	.rept	1024
	.long	seed
	.set	seed, (seed * 69069 + 1) & 0xffffffff
	.endr
