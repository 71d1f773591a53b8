	.intel_syntax noprefix
	.macro twice reg
	add	\reg, \reg
	.endm
	.text
twice_it:
	twice	eax
	ret
