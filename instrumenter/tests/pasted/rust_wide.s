	.file	"adler.e80b5831e702a726-cgu.0"
	.section	.text.adler32,"ax",@progbits
	.globl	adler32
	.p2align	4
	.type	adler32,@function
adler32:
	.cfi_startproc
	testq	%rsi, %rsi
	je	.LBB0_1
	xorl	%eax, %eax
	movl	$1, %edx
	movl	$2147975281, %ecx
	jmp	.LBB0_3
	.p2align	4
.LBB0_7:
	subq	%r8, %rsi
	movl	%edx, %r8d
	imulq	%rcx, %r8
	shrq	$47, %r8
	imull	$65521, %r8d, %r8d
	subl	%r8d, %edx
	movl	%eax, %r8d
	retq
.Lfunc_end0:
	.size	adler32, .Lfunc_end0-adler32
	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
