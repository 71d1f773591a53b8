	.file	"g.c"
	.text
	.globl	collatz
	.type	collatz, @function
collatz:
.LFB0:
	.cfi_startproc
	movl	4(%esp), %eax
	cmpl	$1, %eax
	je	.L6
	movl	$0, %edx
	jmp	.L5
.L3:
	shrl	%eax
.L4:
	incl	%edx
	cmpl	$1, %eax
	je	.L1
.L5:
	testb	$1, %al
	je	.L3
	leal	1(%eax,%eax,2), %eax
	jmp	.L4
.L6:
	movl	$0, %edx
.L1:
	movl	%edx, %eax
	ret
	.cfi_endproc
.LFE0:
	.size	collatz, .-collatz
	.globl	best
	.type	best, @function
best:
.LFB1:
	.cfi_startproc
	pushl	%ebp
	.cfi_def_cfa_offset 8
	.cfi_offset 5, -8
	pushl	%edi
	.cfi_def_cfa_offset 12
	.cfi_offset 7, -12
	pushl	%esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl	%ebx
	.cfi_def_cfa_offset 20
	.cfi_offset 3, -20
	movl	20(%esp), %edi
	cmpl	$1, %edi
	jle	.L12
	movl	$1, %ebx
	movl	$0, %ebp
	movl	$0, %esi
	jmp	.L11
.L10:
	incl	%ebx
	cmpl	%ebx, %edi
	je	.L8
.L11:
	pushl	%ebx
	.cfi_def_cfa_offset 24
	call	collatz
	addl	$4, %esp
	.cfi_def_cfa_offset 20
	cmpl	%esi, %eax
	jle	.L10
	movl	%ebx, %ebp
	movl	%eax, %esi
	jmp	.L10
.L12:
	movl	$0, %ebp
.L8:
	movl	%ebp, %eax
	popl	%ebx
	.cfi_restore 3
	.cfi_def_cfa_offset 16
	popl	%esi
	.cfi_restore 6
	.cfi_def_cfa_offset 12
	popl	%edi
	.cfi_restore 7
	.cfi_def_cfa_offset 8
	popl	%ebp
	.cfi_restore 5
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc
.LFE1:
	.size	best, .-best
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
