	.intel_syntax noprefix
	.text
	.globl	sha1_rounds
	.macro	sha1_step t, a, b, c, d, e
	mov	esi, \c
	.if	\t < 20
	xor	esi, \d
	and	esi, \b
	xor	esi, \d
	lea	\e, [\e + esi + 0x5a827999]
	.elseif	\t < 40
	xor	esi, \d
	xor	esi, \b
	lea	\e, [\e + esi + 0x6ed9eba1]
	.elseif	\t < 60
	and	esi, \b
	lea	\e, [\e + esi + 0x8f1bbcdc]
	.else
	xor	esi, \d
	xor	esi, \b
	lea	\e, [\e + esi + 0xca62c1d6]
	.endif
	.if	\t >= 16
	mov	edi, [esp + 4*((\t - 3) & 15)]
	xor	edi, [esp + 4*((\t - 8) & 15)]
	xor	edi, [esp + 4*((\t - 14) & 15)]
	xor	edi, [esp + 4*(\t & 15)]
	rol	edi, 1
	mov	[esp + 4*(\t & 15)], edi
	.else
	mov	edi, [esp + 4*\t]
	.endif
	add	\e, edi
	mov	edi, \a
	rol	edi, 5
	add	\e, edi
	rol	\b, 30
	.endm
sha1_rounds:
	sub	esp, 64
	.set	t, 0
	.rept	16
	sha1_step t, eax, ebx, ecx, edx, ebp
	.set	t, t+1
	sha1_step t, ebp, eax, ebx, ecx, edx
	.set	t, t+1
	sha1_step t, edx, ebp, eax, ebx, ecx
	.set	t, t+1
	sha1_step t, ecx, edx, ebp, eax, ebx
	.set	t, t+1
	sha1_step t, ebx, ecx, edx, ebp, eax
	.set	t, t+1
	.endr
	add	esp, 64
	ret
