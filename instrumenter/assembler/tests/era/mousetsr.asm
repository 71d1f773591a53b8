	.model	medium
	.286c
	extrn	_Callback:far
	extrn	_errno:word
	public	_MouseInit
dgroup	group	_data,_bss
	.data
_bss	segment	word public 'bss'
oldmask	dw	1 dup(?)
;= 0000
_bss	ends
installed db 0
;= 00
; event handler table: pairs of masks and offsets
evtab	label	word
	dw	1,offset move
;= 01000000
	dw	2,lpress
;= 02000900
	dw	-1
;= ffff
cursor	dw	16 dup (0ffffh)
;= ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
	dw	1100000000000000b,0e000h,11110000b
;= 00c000e0f000
	org	$+16
hot	dw	2 dup (?)
;= 00000000
	.code	mouse_text
move	proc	near
	mov	hot,cx
;= 890e5100
	mov	hot+2,dx
;= 89165300
	ret
;= c3
move	endp
lpress	proc	near
	push	ds
;= 1e
	push	dx
;= 52
	push	cx
;= 51
	call	_Callback
;= 9a00000000
	add	sp,4
;= 83c404
	pop	ds
;= 1f
	cmp	_errno,0
;= 833e000000
	ret
;= c3
lpress	endp
event	proc	far
	pusha
;= 60
	push	ds
;= 1e
	mov	bp,dgroup
;= bd1510
	mov	ds,bp
;= 8edd
	mov	si,offset dgroup:evtab
;= be1100
next:	lodsw
;= ad
	cmp	ax,-1
;= 83f8ff
	je	out1
;= 7409
	test	ax,bx
;= 85c3
	lodsw
;= ad
	jz	next
;= 74f5
	call	ax
;= ffd0
	jmp	next
;= ebf1
out1:	pop	ds
;= 1f
	popa
;= 61
	ret
;= cb
event	endp
_MouseInit proc
	xor	ax,ax
;= 33c0
	int	33h
;= cd33
	or	ax,ax
;= 0bc0
	jz	@f
;= 7412
	mov	installed,1
;= c606100001
	mov	ax,12
;= b80c00
	mov	cx,11b
;= b90300
	push	cs
;= 0e
	pop	es
;= 07
	mov	dx,offset event
;= ba1b00
	int	33h
;= cd33
@@:	mov	al,installed
;= a01000
	cbw
;= 98
	ret
;= cb
_MouseInit endp
	end
