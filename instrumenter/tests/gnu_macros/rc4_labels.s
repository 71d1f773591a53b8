	.text
	.globl rc4
	.macro	next_byte
	incb	%al
	movzbl	%al, %eax
	movl	(%edi,%eax,4), %ecx
	addb	%cl, %bl
	jnc	.Lnone\@
	nop
.Lnone\@:
	movl	(%edi,%ebx,4), %edx
	movl	%edx, (%edi,%eax,4)
	movl	%ecx, (%edi,%ebx,4)
	.endm
	.macro	bytes count
	.if	\count
	next_byte
	bytes	"(\count-1)"
	.endif
	.endm
rc4:
	xorl	%eax, %eax
	xorl	%ebx, %ebx
1:	bytes	4
	decl	%esi
	jnz	1b
	ret
