	.intel_syntax noprefix
	.text
	.globl square
	# The products of a square beside its diagonal, each taken twice.
	.macro	product i, j
	mov	eax, [esi + 4*\i]
	mul	dword ptr [esi + 4*\j]
	.if	\i != \j
	.set	at, \i + \j
	add	eax, eax
	adc	edx, edx
	adc	dword ptr [edi + 4*at + 8], 0
	.else
	.set	at, 2*\i
	.endif
	add	[edi + 4*at], eax
	adc	[edi + 4*at + 4], edx
	.endm
square:
	.set	i, 0
	.rept	4
	.set	j, i
	.rept	4 - i
	product	i, j
	.set	j, j + 1
	.endr
	.set	i, i + 1
	.endr
	ret
