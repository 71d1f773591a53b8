	.intel_syntax noprefix
	.text
	.globl shifts
	.macro	shift_left to, by
	.ifeq	\by
	.exitm
	.endif
	.ifeq	\by - 1
	add	\to, \to
	.exitm
	.endif
	.iflt	\by - 4
	lea	\to, [\to*(1 << \by)]
	.else
	shl	\to, \by
	.endif
	.endm
shifts:
	.irp	count, 0, 1, 2, 3, 4, 5, 31
	shift_left eax, \count
	.rept	3
	shift_left ecx, \count
	.exitm
	.endr
	.endr
	ret
