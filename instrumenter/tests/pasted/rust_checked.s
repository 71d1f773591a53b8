	.file	"bc.a3095a7c26e6acea-cgu.0"
	.section	.text.dotq,"ax",@progbits
	.globl	dotq
	.p2align	4
	.type	dotq,@function
dotq:
	pushl	%ebp
	pushl	%ebx
	pushl	%edi
	pushl	%esi
	subl	$12, %esp
	movl	48(%esp), %ebx
	testl	%ebx, %ebx
	je	.LBB3_1
	movl	40(%esp), %ebp
	movl	32(%esp), %esi
	xorl	%ecx, %ecx
	xorl	%edi, %edi
	.p2align	4
.LBB3_4:
	cmpl	%edi, 36(%esp)
	je	.LBB3_7
	cmpl	%edi, 44(%esp)
	je	.LBB3_9
	movl	(%ebp,%edi,4), %eax
	imull	(%esi,%edi,4)
	incl	%edi
	shldl	$16, %eax, %edx
	addl	%edx, %ecx
	cmpl	%edi, %ebx
	jne	.LBB3_4
	jmp	.LBB3_2
.LBB3_1:
	xorl	%ecx, %ecx
.LBB3_2:
	movl	%ecx, %eax
	addl	$12, %esp
	popl	%esi
	popl	%edi
	popl	%ebx
	popl	%ebp
	retl
.LBB3_7:
	subl	$4, %esp
	pushl	$.Lanon.5e9934a22eb620ebafdfebd9d8701b67.1
	movl	44(%esp), %eax
	pushl	%eax
	pushl	%eax
	calll	_RNvNtCscPEpqFsAZTC_4core9panicking18panic_bounds_check
.LBB3_9:
	subl	$4, %esp
	pushl	$.Lanon.5e9934a22eb620ebafdfebd9d8701b67.2
	movl	52(%esp), %eax
	pushl	%eax
	pushl	%eax
	calll	_RNvNtCscPEpqFsAZTC_4core9panicking18panic_bounds_check
.Lfunc_end3:
	.size	dotq, .Lfunc_end3-dotq
	.type	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.0,@object
	.section	.rodata.str1.1,"aMS",@progbits,1
.Lanon.5e9934a22eb620ebafdfebd9d8701b67.0:
	.asciz	"bc.rs"
	.size	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.0, 6

	.type	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.1,@object
	.section	.rodata..Lanon.5e9934a22eb620ebafdfebd9d8701b67.1,"a",@progbits
	.p2align	2, 0x0
.Lanon.5e9934a22eb620ebafdfebd9d8701b67.1:
	.long	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.0
	.asciz	"\005\000\000\000\004\000\000\000*\000\000"
	.size	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.1, 16

	.type	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.2,@object
	.section	.rodata..Lanon.5e9934a22eb620ebafdfebd9d8701b67.2,"a",@progbits
	.p2align	2, 0x0
.Lanon.5e9934a22eb620ebafdfebd9d8701b67.2:
	.long	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.0
	.asciz	"\005\000\000\000\004\000\000\0008\000\000"
	.size	.Lanon.5e9934a22eb620ebafdfebd9d8701b67.2, 16

	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
