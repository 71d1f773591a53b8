	.386p
	ifndef	??version
?debug	macro
	endm
publicdll macro	name
	public	name
	endm
$comm	macro	name,dist,size,count
	comm	dist name:BYTE:count*size
	endm
	else
$comm	macro	name,dist,size,count
	comm	dist name[size]:BYTE:count
	endm
	endif
	?debug	V 300h
	?debug	S "test.c"
	?debug	C E94A4B6A1C06746573742E63
_TEXT	segment byte public 'CODE'
_TEXT	ends
DGROUP	group	_DATA,_BSS
	assume	cs:_TEXT,ds:DGROUP
_DATA	segment word public 'DATA'
d@	label	byte
d@w	label	word
_DATA	ends
_BSS	segment word public 'BSS'
b@	label	byte
b@w	label	word
_BSS	ends
_DATA	segment word public 'DATA'
_arr	label	word
	dw	1
;= 0100
	dw	2
;= 0200
	db	4 dup (?)
;= 00000000
_p	label	dword
	dw	DGROUP:s@
;= 0c00
	dw	seg DGROUP:s@
;= 1610
_DATA	ends
_TEXT	segment byte public 'CODE'
   ;	
   ;	int add(int a, char far *b)
   ;	
	?debug	L 3
	assume	cs:_TEXT,ds:DGROUP
@add$qinzc	proc	near
	push	bp
;= 55
	mov	bp,sp
;= 8bec
	sub	sp,2
;= 83ec02
	push	si
;= 56
	push	di
;= 57
	mov	si,word ptr [bp+4]
;= 8b7604
	les	bx,dword ptr [bp+6]
;= c45e06
	mov	al,byte ptr es:[bx]
;= 268a07
	cbw	
;= 98
	add	si,ax
;= 03f0
	mov	ax,word ptr DGROUP:_arr[si]
;= 8b840000
	mov	dx,word ptr DGROUP:_arr+2
;= 8b160200
	movzx	eax,word ptr [bp+4]
;= 660fb74604
	mov	dword ptr [bp-2],large 0
;= 66c746fe00000000
	jmp	short @1@58
;= eb01
@1@26:
	dec	si
;= 4e
@1@58:
	or	si,si
;= 0bf6
	jg	short @1@26
;= 7ffb
	mov	bx,si
;= 8bde
	cmp	bx,3
;= 83fb03
	ja	short @1@114
;= 7707
	shl	bx,1
;= d1e3
	jmp	word ptr cs:@1@C1[bx]
;= 2effa75800
@1@114:
	push	ds
;= 1e
	mov	ax,offset DGROUP:s@
;= b80c00
	push	ax
;= 50
	call	near ptr _printf
;= e80000
	add	sp,4
;= 83c404
	push	word ptr DGROUP:b@w+0
;= ff361000
	call	far ptr _farone
;= 9a00000000
	xor	ax,ax
;= 33c0
	pop	di
;= 5f
	pop	si
;= 5e
	leave	
;= c9
	ret	
;= c3
@1@C1	label	word
	dw	@1@26
;= 2b00
	dw	@1@58
;= 2c00
	dw	@1@114
;= 3e00
	dw	@1@114
;= 3e00
@add$qinzc	endp
	?debug	C E9
_TEXT	ends
_BSS	segment word public 'BSS'
_count	label	word
	db	2 dup (?)
;= 0000
	$comm	_shared,near,2,1
_BSS	ends
	?debug	C FA00000000
_DATA	segment word public 'DATA'
s@	label	byte
	db	'%d'
;= 2564
	db	10
;= 0a
	db	0
;= 00
_DATA	ends
	extrn	_printf:near
	extrn	_farone:far
_TEXT	segment byte public 'CODE'
_TEXT	ends
_s@	equ	s@
	public	_arr
	public	@add$qinzc
	public	_count
	end
