	.intel_syntax noprefix
	.text
	.globl main
main:
	push	edi
	push	esi
	mov	edi, offset place
	mov	esi, offset source
	mov	ecx, 3
	rep movs	dword ptr es:[edi], dword ptr [esi]
	mov	ecx, 2
	mov	eax, 7
	rep stosd	es:[edi], eax
	lodsd	eax, dword ptr [esi]
	pop	esi
	pop	edi
	add	eax, dword ptr [place]
	add	eax, place[16]
	rep ret
	.data
	.p2align 2
source:
	.long	010, 2, 3, 0b101
place:
	.zero	24
