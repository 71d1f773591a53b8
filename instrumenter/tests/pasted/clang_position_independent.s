	.text
	.globl	main                            # -- Begin function main
	.p2align	4, 0x90
	.type	main,@function
main:                                   # @main
# %bb.0:
	calll	.L0$pb
.L0$pb:
	popl	%eax
.Ltmp0:
	addl	$_GLOBAL_OFFSET_TABLE_+(.Ltmp0-.L0$pb), %eax
	movl	other@GOT(%eax), %ecx
	movl	counter@GOTOFF(%eax), %eax
	addl	(%ecx), %eax
	retl
	.size	main, .-main
	.type	counter,@object                 # @counter
	.data
	.p2align	2, 0x0
counter:
	.long	42                              # 0x2a
	.globl other
other:
	.long	0x10
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym counter
