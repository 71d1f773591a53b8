	.intel_syntax noprefix
	.text
	.globl	add
	.type	add, @function
add:
	mov	eax, DWORD PTR [esp+4]
	add	eax, DWORD PTR [esp+8]
	ret
	.globl	proc
proc:
	mov	eax, DWORD PTR size
	add	eax, DWORD PTR name[4]
	ret
	.globl	main
main:
	push	2
	push	40
	call	add
	add	esp, 8
	mov	ecx, eax
	call	proc
	add	eax, ecx
	add	eax, DWORD PTR length
	mov	DWORD PTR type, eax
	ret
	.data
	.align 4
size:
	.long	100
name:
	.long	0
	.long	200
length:
	.long	1000
	.comm	type,4,4
