	.text
	.globl	f
f:	movl	$names, %eax
	ret
	.data
	.macro	text label, value
\label:	.asciz	"\value"
	.byte	.-\label
	.endm
names:
	text	one, "first; not # a comment"
	text	two, "second, with a comma"
	.irpc	digit, 0123456789abcdef
	.byte	0x\digit\()0
	.endr
	.ifeqs	"a b", "a b"
	.ascii	"same"
	.endif
	.ifnes	"a", "b"
	.ascii	"other"
	.endif
	.irp	unit, byte, short, long
	.\unit	1, 2
	.endr
