	.intel_syntax noprefix
	.text
	.globl add_words, sub_words
	.macro	words name, op:req, count=8
\name:
	push	ebx
	mov	edx, [esp+8]
	mov	ebx, [esp+12]
	.set	at, 0
	.rept	\count
	mov	eax, [ebx + at*4]
	.if	at == 0
	.ifc	\op, adc
	add	[edx], eax
	.else
	sub	[edx], eax
	.endif
	.else
	\op	[edx + at*4], eax
	.endif
	.set	at, at + 1
	.endr
	sbb	eax, eax
	neg	eax
	pop	ebx
	ret
	.endm
	words	add_words, adc
	words	sub_words, op=sbb, count=4
