	.file	"a.c"
	.intel_syntax noprefix
	.text
	.globl	main
main:
	mov	ecx, 8
#APP
# 3 "a.c" 1
	.att_syntax
	bsfl %ecx,%eax
	jnz 1f
	movl $32,%eax
1:
	.intel_syntax noprefix
# 0 "" 2
#NO_APP
	add	eax, ecx
	ret
