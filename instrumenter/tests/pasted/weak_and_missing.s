	.text
	.globl main
	.type main,@function
main:	movl $hook, %eax
	testl %eax, %eax
	je .L1
	call hook
	movl table+4, %ecx
.L1:	ret
	.weak hook
	.weak table
