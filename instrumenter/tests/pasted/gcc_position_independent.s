	.file	"a.c"
	.intel_syntax noprefix
	.text
	.globl	next
	.type	next, @function
next:
	call	__x86.get_pc_thunk.dx
	add	edx, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_
	mov	eax, DWORD PTR counter@GOTOFF[edx]
	inc	eax
	mov	DWORD PTR counter@GOTOFF[edx], eax
	ret
	.size	next, .-next
	.local	counter
	.comm	counter,4,4
