	.text
	.globl	_start
_start:
	movl	$tab, %esi
	movl	length, %edx
	xorl	%eax, %eax
.L1:
	movzbl	(%esi), %ecx
	addl	%ecx, %eax
	incl	%esi
	cmpl	$tab_end, %esi
	jb	.L1
	movl	size, %ebx
	ret
	.data
tab:
	.byte	1, 2, 3
tab_end:
	.align 4
length:
	.long	tab_end - tab
	.byte	1
	.bss
begin:
	.byte	0
end:
	.p2align 3
	.zero	8
	.section	.rodata
size:
	.long	end - begin
