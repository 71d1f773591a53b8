	.text
	.globl	count
	.type	count, @function
count:
	.pushsection .debug_str,"MS",@progbits,1
.Lname:
	.string	"count"
	.section	.debug_info
	.long	.Lname
	.popsection
	movl	$10, %ecx
.L3:
	.section	.note.x
	.long	1
	.previous
	decl	%ecx
	jne	.L3
	ret
