	.text
	.globl main
main:	xorl %eax, %eax
	.rept 3
	addl $2, %eax
	jmp 1f
1:
	.endr
	ret
