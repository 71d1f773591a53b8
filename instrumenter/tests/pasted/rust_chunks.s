	.file	"adler.e80b5831e702a726-cgu.0"
	.section	.text.adler32,"ax",@progbits
	.globl	adler32
	.p2align	4
	.type	adler32,@function
adler32:
	pushl	%ebp
	pushl	%ebx
	pushl	%edi
	pushl	%esi
	movl	24(%esp), %edi
	testl	%edi, %edi
	je	.LBB0_1
	movl	20(%esp), %eax
	xorl	%ecx, %ecx
	movl	$1, %esi
	.p2align	4
.LBB0_3:
	cmpl	$5552, %edi
	movl	%edi, %edx
	jb	.LBB0_5
	movl	$5552, %edx
.LBB0_5:
	leal	(%eax,%edx), %ebp
	subl	%edx, %edi
	.p2align	4
.LBB0_6:
	movzbl	(%eax), %ebx
	incl	%eax
	addl	%ebx, %esi
	addl	%esi, %ecx
	decl	%edx
	jne	.LBB0_6
	movl	%esi, %eax
	movl	$-2146992015, %ebx
	mull	%ebx
	shrl	$15, %edx
	imull	$65521, %edx, %eax
	subl	%eax, %esi
	movl	%ecx, %eax
	mull	%ebx
	shrl	$15, %edx
	imull	$65521, %edx, %eax
	subl	%eax, %ecx
	testl	%edi, %edi
	movl	%ebp, %eax
	jne	.LBB0_3
	shll	$16, %ecx
	orl	%esi, %ecx
	jmp	.LBB0_9
.LBB0_1:
	movl	$1, %ecx
.LBB0_9:
	movl	%ecx, %eax
	popl	%esi
	popl	%edi
	popl	%ebx
	popl	%ebp
	retl
.Lfunc_end0:
	.size	adler32, .Lfunc_end0-adler32

	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
