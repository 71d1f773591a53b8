	.intel_syntax noprefix
	.globl main
main:	mov eax, 5; add eax, 010
	rep; ret
