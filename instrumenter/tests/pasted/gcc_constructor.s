	.file	"ctor.c"
	.text
	.type	init, @function
init:
.LFB11:
	.cfi_startproc
	movl	$42, x
	ret
	.cfi_endproc
.LFE11:
	.size	init, .-init
	.section	.init_array,"aw"
	.align 4
	.long	init
	.text
	.globl	main
	.type	main, @function
main:
.LFB12:
	.cfi_startproc
	movl	x, %eax
	ret
	.cfi_endproc
.LFE12:
	.size	main, .-main
	.globl	x
	.data
	.align 4
	.type	x, @object
	.size	x, 4
x:
	.long	1
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
