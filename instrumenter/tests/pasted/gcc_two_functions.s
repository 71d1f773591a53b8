	.file	"g.c"
	.intel_syntax noprefix
	.text
	.globl	collatz
	.type	collatz, @function
collatz:
.LFB0:
	.cfi_startproc
	mov	eax, DWORD PTR [esp+4]
	cmp	eax, 1
	je	.L6
	mov	edx, 0
	jmp	.L5
.L3:
	shr	eax
.L4:
	inc	edx
	cmp	eax, 1
	je	.L1
.L5:
	test	al, 1
	je	.L3
	lea	eax, [eax+1+eax*2]
	jmp	.L4
.L6:
	mov	edx, 0
.L1:
	mov	eax, edx
	ret
	.cfi_endproc
.LFE0:
	.size	collatz, .-collatz
	.globl	best
	.type	best, @function
best:
.LFB1:
	.cfi_startproc
	push	ebp
	.cfi_def_cfa_offset 8
	.cfi_offset 5, -8
	push	edi
	.cfi_def_cfa_offset 12
	.cfi_offset 7, -12
	push	esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	push	ebx
	.cfi_def_cfa_offset 20
	.cfi_offset 3, -20
	mov	edi, DWORD PTR [esp+20]
	cmp	edi, 1
	jle	.L12
	mov	ebx, 1
	mov	ebp, 0
	mov	esi, 0
	jmp	.L11
.L10:
	inc	ebx
	cmp	edi, ebx
	je	.L8
.L11:
	push	ebx
	.cfi_def_cfa_offset 24
	call	collatz
	add	esp, 4
	.cfi_def_cfa_offset 20
	cmp	eax, esi
	jle	.L10
	mov	ebp, ebx
	mov	esi, eax
	jmp	.L10
.L12:
	mov	ebp, 0
.L8:
	mov	eax, ebp
	pop	ebx
	.cfi_restore 3
	.cfi_def_cfa_offset 16
	pop	esi
	.cfi_restore 6
	.cfi_def_cfa_offset 12
	pop	edi
	.cfi_restore 7
	.cfi_def_cfa_offset 8
	pop	ebp
	.cfi_restore 5
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc
.LFE1:
	.size	best, .-best
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
