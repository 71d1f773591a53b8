	.intel_syntax noprefix
rounds=5
twice=rounds*2|1
	.text
	.globl	count
count:
	mov	ecx, twice
.L3:
	dec	ecx
	jne	.L3
	mov	eax, rounds
	ret
