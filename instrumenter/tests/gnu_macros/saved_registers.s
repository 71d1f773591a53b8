	.text
	.globl	f
	.macro	save first, rest:vararg
	pushl	\first
	.ifnb	\rest
	save	\rest
	.endif
	.endm
	.macro	restore first, rest:vararg
	.ifnb	\rest
	restore	\rest
	.endif
	popl	\first
	.endm
	.macro	entry name
	.globl	\name
	.type	\name, @function
\name\():
	.endm
	.macro	function name
	entry	\name
	save	%ebx, %esi, %edi
	.macro	leave_\name
	restore	%ebx, %esi, %edi
	ret
	.purgem	leave_\name
	.endm
	.endm
	function f
	movl	16(%esp), %esi
	leave_f
	function g
	movl	20(%esp), %edi
	leave_g
