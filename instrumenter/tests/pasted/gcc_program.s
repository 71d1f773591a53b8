	.file	"prog.c"
	.intel_syntax noprefix
	.text
	.globl	f
	.type	f, @function
f:
.LFB0:
	.cfi_startproc
	mov	eax, DWORD PTR [esp+4]
	cmp	eax, 5
	ja	.L2
	jmp	[DWORD PTR .L4[0+eax*4]]
	.section	.rodata
	.align 4
	.align 4
.L4:
	.long	.L9
	.long	.L8
	.long	.L7
	.long	.L10
	.long	.L5
	.long	.L3
	.text
.L9:
	mov	eax, 5
	ret
.L8:
	mov	eax, DWORD PTR counter
	lea	edx, [eax+1]
	mov	DWORD PTR counter, edx
	ret
.L7:
	mov	eax, DWORD PTR table+8
	ret
.L5:
	mov	eax, 28
	ret
.L3:
	mov	eax, DWORD PTR table+4
	lea	eax, [eax+eax*2]
	ret
.L2:
	mov	eax, 0
	ret
.L10:
	mov	eax, 99
	ret
	.cfi_endproc
.LFE0:
	.size	f, .-f
	.globl	length
	.type	length, @function
length:
.LFB1:
	.cfi_startproc
	mov	edx, DWORD PTR [esp+4]
	cmp	BYTE PTR [edx], 0
	je	.L14
	mov	eax, 0
.L13:
	inc	eax
	cmp	BYTE PTR [edx+eax], 0
	jne	.L13
	ret
.L14:
	mov	eax, 0
	ret
	.cfi_endproc
.LFE1:
	.size	length, .-length
	.globl	main
	.type	main, @function
main:
.LFB2:
	.cfi_startproc
	push	edi
	.cfi_def_cfa_offset 8
	.cfi_offset 7, -8
	push	esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	push	ebx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	ebx, 0
	mov	esi, 0
	mov	edi, 7
.L17:
	mov	eax, ebx
	mov	edx, ebx
	sar	edx, 31
	idiv	edi
	push	edx
	.cfi_def_cfa_offset 20
	call	f
	add	esi, eax
	inc	ebx
	add	esp, 4
	.cfi_def_cfa_offset 16
	cmp	ebx, 21
	jne	.L17
	push	DWORD PTR text
	.cfi_def_cfa_offset 20
	call	length
	add	esp, 4
	.cfi_def_cfa_offset 16
	add	eax, esi
	pop	ebx
	.cfi_restore 3
	.cfi_def_cfa_offset 12
	pop	esi
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	pop	edi
	.cfi_restore 7
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc
.LFE2:
	.size	main, .-main
	.globl	text
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"a;\n#"
	.data
	.align 4
	.type	text, @object
	.size	text, 4
text:
	.long	.LC0
	.globl	table
	.align 4
	.type	table, @object
	.size	table, 16
table:
	.long	1
	.long	2
	.long	3
	.long	4
	.local	counter
	.comm	counter,4,4
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
