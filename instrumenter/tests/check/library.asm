; Regions of the bundled library, long data, and what the linker completes.
.586
.model flat
extrn	table:dword, _f:near
.data
pattern	db	100 dup (1, 2, 3)
zeroes	db	1000 dup (0)
addresses dd	pattern, table, 5
.code
start:
	StartTSC sum
	add	eax, ebx
	EndTSC
	mov	esi, offset pattern
	mov	eax, table[esi*4]
	call	_f
	jmp	_f
	jz	_f
	call	start
	sub	ecx, offset zeroes - offset pattern
	StartProfile EV_FLOPS, EV_BRANCHES
	EndProfile
	ret
end start
