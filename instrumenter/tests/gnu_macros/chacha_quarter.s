	.intel_syntax noprefix
	.globl chacha_double_round
	.text
.macro QUARTER a b c d
	mov eax, [esi+4*\a]
	mov ebx, [esi+4*\b]
	mov ecx, [esi+4*\c]
	mov edx, [esi+4*\d]
.irp count, 16, 12, 8, 7
.if \count == 16 || \count == 8
	add eax, ebx; xor edx, eax; rol edx, \count
.else
	add ecx, edx; xor ebx, ecx; rol ebx, \count
.endif
.endr
	mov [esi+4*\a], eax
	mov [esi+4*\b], ebx
	mov [esi+4*\c], ecx
	mov [esi+4*\d], edx
.endm
chacha_double_round:
.irpc i, 0123
	quarter \i, 4+\i, 8+\i, 12+\i
.endr
	QUARTER 0 5 10 15
	QUARTER 1 6 11 12
	QUARTER 2 7 8 13
	QUARTER 3 4 9 14
	ret
