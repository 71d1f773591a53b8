	.file	"bc.a3095a7c26e6acea-cgu.0"
	.section	.text.copy,"ax",@progbits
	.globl	copy
	.p2align	4
	.type	copy,@function
copy:
	pushl	%ebx
	pushl	%esi
	movl	16(%esp), %ecx
	movl	24(%esp), %eax
	cmpl	%ecx, %eax
	jb	.LBB2_2
	movl	%ecx, %eax
.LBB2_2:
	testl	%eax, %eax
	je	.LBB2_5
	movl	20(%esp), %ecx
	movl	12(%esp), %edx
	xorl	%esi, %esi
	.p2align	4
.LBB2_4:
	movzbl	(%ecx,%esi), %ebx
	incb	%bl
	movb	%bl, (%edx,%esi)
	incl	%esi
	cmpl	%esi, %eax
	jne	.LBB2_4
.LBB2_5:
	popl	%esi
	popl	%ebx
	retl
.Lfunc_end2:
	.size	copy, .Lfunc_end2-copy
	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
