	.file	"inline.cc"
	.text
	.globl	_Z5twicei
	.type	_Z5twicei, @function
_Z5twicei:
	subl	$4, %esp
	movl	8(%esp), %eax
	movl	%eax, (%esp)
	call	_Z5addedi
	addl	$4, %esp
	ret
	.size	_Z5twicei, .-_Z5twicei
	.section	.gnu.linkonce.t._Z5addedi,"ax",@progbits
	.weak	_Z5addedi
	.type	_Z5addedi, @function
_Z5addedi:
	movl	4(%esp), %eax
	addl	$7, %eax
	ret
	.size	_Z5addedi, .-_Z5addedi
