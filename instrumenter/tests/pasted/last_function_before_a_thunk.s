	.intel_syntax noprefix
	.text
	.globl	first
	.type	first, @function
first:
	call	__x86.get_pc_thunk.dx
	add	edx, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_
	mov	eax, DWORD PTR value@GOTOFF[edx]
	ret
	.globl	last
	.type	last, @function
last:
	mov	eax, 2
	ret
	.data
	.align	4
value:
	.long	9
