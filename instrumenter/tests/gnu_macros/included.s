	.include "configuration.inc"
	.text
	.globl	copy_words
copy_words:
	.rept	UNROLL
	movl	(%esi), %eax
	maybe	addl $4, %esi
	.ifdef	SLOW
	nop
	.else
	movl	%eax, (%edi)
	.endif
	.ifgt	UNROLL-2
	leal	4(%edi), %edi
	.endif
	.endr
	maybe	incl, %edx
	ret
