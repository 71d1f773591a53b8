	.text
	.globl	md5_block
	/* F, G, H and I by number */
	.macro	ff n, b, c, d
	movl	\c, %edi
	.if	\n == 0
	xorl	\d, %edi
	andl	\b, %edi
	xorl	\d, %edi
	.elseif	\n == 1
	xorl	\b, %edi
	andl	\d, %edi
	xorl	\c, %edi
	.elseif	\n == 2
	xorl	\d, %edi
	xorl	\b, %edi
	.else
	movl	$-1, %edi
	xorl	\d, %edi
	orl	\b, %edi
	xorl	\c, %edi
	.endif
	.endm
	.macro	round n, a, b, c, d, k, s, t
	ff	\n, \b, \c, \d
	leal	\t(\a,%edi), \a
	addl	4*\k(%esi), \a
	roll	$\s, \a
	addl	\b, \a
	.endm
	.macro	four n, k0, k1, k2, k3, s0, s1, s2, s3, t:vararg
	round	\n, %eax, %ebx, %ecx, %edx, \k0, \s0, 0xd76aa478
	round	\n, %edx, %eax, %ebx, %ecx, \k1, \s1, 0xe8c7b756
	round	\n, %ecx, %edx, %eax, %ebx, \k2, \s2, 0x242070db
	round	\n, %ebx, %ecx, %edx, %eax, \k3, \s3, 0xc1bdceee
	.endm
md5_block:
	four	0, 0, 1, 2, 3, 7, 12, 17, 22
	four	1, 1, 6, 11, 0, 5, 9, 14, 20
	four	2, 5, 8, 11, 14, 4, 11, 16, 23
	four	3, 0, 7, 14, 5, 6, 10, 15, 21
	ret
