	.file	"at.1f2e3d4c5b6a7988-cgu.0"
	.section	.text.at,"ax",@progbits
	.globl	at
	.p2align	4
	.type	at,@function
at:
	subl	$12, %esp
	movl	20(%esp), %ecx
	movl	24(%esp), %eax
	cmpl	%ecx, %eax
	jae	.LBB0_2
	movl	16(%esp), %ecx
	movl	(%ecx,%eax,4), %eax
	addl	$12, %esp
	retl
.LBB0_2:
	subl	$4, %esp
	pushl	$.Lanon.0123456789abcdef0123456789abcdef.1
	pushl	%ecx
	pushl	%eax
	calll	_RNvNtCscPEpqFsAZTC_4core9panicking18panic_bounds_check
.Lfunc_end0:
	.size	at, .Lfunc_end0-at

	.type	.Lanon.0123456789abcdef0123456789abcdef.1,@object
	.section	.rodata..Lanon.0123456789abcdef0123456789abcdef.1,"a",@progbits
	.p2align	2, 0x0
.Lanon.0123456789abcdef0123456789abcdef.1:
	.asciz	"\005\000\000\000\004\000\000\000*\000\000"
	.size	.Lanon.0123456789abcdef0123456789abcdef.1, 12

	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
