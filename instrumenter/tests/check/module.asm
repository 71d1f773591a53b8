; One module of several: no entry, and names that another module defines.
.386
.model flat
extrn	_printf:near, table:dword
externdef count:dword
ADDER	macro	register, by
	add	register, by	; an addition
	endm

.data
message	db	'A string over several lines of the listing', 13, 10, 0
room	dd	100 dup (?)
pointers dd	message, table, offset _printf
LIMIT	equ	5

.code
public	sum
sum	proc
	mov	eax, [table]
	rept	2
	ADDER	eax, LIMIT
	endm
if LIMIT gt 9
	nop
endif
	call	_printf
	mov	ecx, count
	jz	short done	; a comment that is much too long for what is left of eighty columns
	align	8
done:
	ret
sum	endp
count	dd	5
	end
