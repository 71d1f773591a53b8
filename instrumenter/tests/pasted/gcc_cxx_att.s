	.file	"a.cpp"
	.text
	.section	.text._Z4pickIicET_S0_T0_,"axG",@progbits,int pick<int, char>(int, char),comdat
	.weak	int pick<int, char>(int, char)
	.type	int pick<int, char>(int, char), @function
int pick<int, char>(int, char):
.LFB4:
	.cfi_startproc
	movl	4(%esp), %edx
	movsbl	8(%esp), %eax
	cmpl	%edx, %eax
	jge	.L2
	movl	%edx, %eax
.L2:
	ret
	.cfi_endproc
.LFE4:
	.size	int pick<int, char>(int, char), .-int pick<int, char>(int, char)
	.text
	.globl	operator-(A const&, A const&)
	.type	operator-(A const&, A const&), @function
operator-(A const&, A const&):
.LFB1:
	.cfi_startproc
	movl	4(%esp), %eax
	movl	(%eax), %eax
	movl	8(%esp), %edx
	subl	(%edx), %eax
	ret
	.cfi_endproc
.LFE1:
	.size	operator-(A const&, A const&), .-operator-(A const&, A const&)
	.globl	sum(int const*, int)
	.type	sum(int const*, int), @function
sum(int const*, int):
.LFB2:
	.cfi_startproc
	pushl	%edi
	.cfi_def_cfa_offset 8
	.cfi_offset 7, -8
	pushl	%esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	pushl	%ebx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	16(%esp), %edi
	movl	20(%esp), %esi
	testl	%esi, %esi
	jle	.L7
	movl	$0, %eax
	movl	$0, %ecx
.L6:
	movl	%eax, %ebx
	andl	$3, %ebx
	movl	(%edi,%eax,4), %edx
	addl	A::table(,%ebx,4), %edx
	addl	%edx, %ecx
	incl	%eax
	cmpl	%eax, %esi
	jne	.L6
.L4:
	movl	%ecx, %eax
	popl	%ebx
	.cfi_remember_state
	.cfi_restore 3
	.cfi_def_cfa_offset 12
	popl	%esi
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	popl	%edi
	.cfi_restore 7
	.cfi_def_cfa_offset 4
	ret
.L7:
	.cfi_restore_state
	movl	$0, %ecx
	jmp	.L4
	.cfi_endproc
.LFE2:
	.size	sum(int const*, int), .-sum(int const*, int)
	.globl	main
	.type	main, @function
main:
.LFB3:
	.cfi_startproc
	leal	4(%esp), %ecx
	.cfi_def_cfa 1, 0
	andl	$-16, %esp
	pushl	-4(%ecx)
	pushl	%ebp
	movl	%esp, %ebp
	.cfi_escape 0x10,0x5,0x2,0x75,0
	pushl	%ebx
	pushl	%ecx
	.cfi_escape 0xf,0x3,0x75,0x78,0x6
	.cfi_escape 0x10,0x3,0x2,0x75,0x7c
	subl	$16, %esp
	movl	$9, -12(%ebp)
	movl	$2, -16(%ebp)
	pushl	$4
	pushl	$A::table
	call	sum(int const*, int)
	movl	%eax, %ebx
	pushl	$2
	pushl	$3
	call	int pick<int, char>(int, char)
	addl	$8, %esp
	addl	%eax, %ebx
	leal	-16(%ebp), %eax
	pushl	%eax
	leal	-12(%ebp), %eax
	pushl	%eax
	call	operator-(A const&, A const&)
	addl	$16, %esp
	addl	%ebx, %eax
	leal	-8(%ebp), %esp
	popl	%ecx
	.cfi_restore 1
	.cfi_def_cfa 1, 0
	popl	%ebx
	.cfi_restore 3
	popl	%ebp
	.cfi_restore 5
	leal	-4(%ecx), %esp
	.cfi_def_cfa 4, 4
	ret
	.cfi_endproc
.LFE3:
	.size	main, .-main
	.globl	A::table
	.data
	.align 4
	.type	A::table, @object
	.size	A::table, 16
A::table:
	.long	1
	.long	2
	.long	3
	.long	4
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
