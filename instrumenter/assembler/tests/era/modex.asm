; Mode X (320x240, 256 colors) mode set routine. Works on all VGAs.
; C near-callable as:   void Set320x240Mode(void);
; Tested with MASM 5.1
	.model	small
	.data
; Index/data pairs for CRT Controller registers that differ between
; mode 13h and mode X.
CRTParms label	word
	dw	00d06h	;vertical total
;= 060d
	dw	03e07h	;overflow (bit 8 of vertical counts)
;= 073e
	dw	04109h	;cell height (2 to double-scan)
;= 0941
	dw	0ea10h	;v sync start
;= 10ea
	dw	0ac11h	;v sync end and protect cr0-cr7
;= 11ac
	dw	0df12h	;vertical displayed
;= 12df
	dw	00014h	;turn off dword mode
;= 1400
	dw	0e715h	;v blank start
;= 15e7
	dw	00616h	;v blank end
;= 1606
	dw	0e317h	;turn on byte mode
;= 17e3
CRT_PARM_LENGTH equ	(($-CRTParms)/2)
SC_INDEX	equ	03c4h	;Sequence Controller Index
CRTC_INDEX	equ	03d4h	;CRT Controller Index
MISC_OUTPUT	equ	03c2h	;Miscellaneous Output register
SCREEN_SEG	equ	0a000h	;segment of display memory in mode X
GC_INDEX	equ	03ceh

parms	struc
	dw	2 dup (?)	;pushed BP and return address
X	dw	?
Y	dw	?
PageBase dw	?
Color	dw	?
parms	ends

	.code
OUT_WORD macro
ifdef SLOW_OUT
	out	dx,al
	inc	dx
	xchg	ah,al
	out	dx,al
	dec	dx
	xchg	ah,al
else
	out	dx,ax
endif
	endm
CONSTANT_TO_INDEXED_REGISTER macro ADDRESS, INDEX, VALUE
	mov	dx,ADDRESS
	mov	ax,(VALUE shl 8) + INDEX
	OUT_WORD
	endm

	public	_Set320x240Mode
_Set320x240Mode	proc	near
	push	bp	;preserve caller's stack frame
;= 55
	push	si	;preserve C register vars
;= 56
	push	di	; (don't count on BIOS preserving anything)
;= 57
	mov	ax,13h	;let the BIOS set standard 256-color
;= b81300
	int	10h	; mode (320x200 linear)
;= cd10
	mov	dx,SC_INDEX
;= bac403
	mov	ax,0604h
;= b80406
	out	dx,ax	;disable chain4 mode
;= ef
	mov	ax,0100h
;= b80001
	out	dx,ax	;synchronous reset while setting Misc Output
;= ef
	mov	dx,MISC_OUTPUT
;= bac203
	mov	al,0e3h
;= b0e3
	out	dx,al	;select 25 MHz dot clock & 60 Hz scanning rate
;= ee
	mov	dx,SC_INDEX
;= bac403
	mov	ax,0300h
;= b80003
	out	dx,ax	;undo reset (restart sequencer)
;= ef
	mov	dx,CRTC_INDEX ;reprogram the CRT Controller
;= bad403
	mov	al,11h
;= b011
	out	dx,al
;= ee
	inc	dx
;= 42
	in	al,dx
;= ec
	and	al,7fh
;= 247f
	out	dx,al	; of various CRTC registers
;= ee
	dec	dx
;= 4a
	cld
;= fc
	mov	si,offset CRTParms ;point to CRT parameter table
;= be0000
	mov	cx,CRT_PARM_LENGTH ;# of table entries
;= b90a00
SetCRTParmsLoop:
	lodsw
;= ad
	out	dx,ax
;= ef
	loop	SetCRTParmsLoop
;= e2fc
	CONSTANT_TO_INDEXED_REGISTER SC_INDEX, 2, 0fh
;= bac403b8020fef
	mov	ax,SCREEN_SEG	;now clear all display memory, 8 pixels
;= b800a0
	mov	es,ax		; at a time
;= 8ec0
	sub	di,di
;= 2bff
	sub	ax,ax
;= 2bc0
	mov	cx,8000h
;= b90080
	rep	stosw
;= f3ab
	pop	di
;= 5f
	pop	si
;= 5e
	pop	bp
;= 5d
	ret
;= c3
_Set320x240Mode	endp

; void WritePixelX(int X, int Y, unsigned int PageBase, int Color);
	public	_WritePixelX
_WritePixelX	proc	near
	push	bp
;= 55
	mov	bp,sp
;= 8bec
	mov	ax,80
;= b85000
	mul	[bp+Y]	;offset of pixel's scan line in page
;= f76606
	mov	bx,[bp+X]
;= 8b5e04
	shr	bx,1
;= d1eb
	shr	bx,1
;= d1eb
	add	bx,ax
;= 03d8
	add	bx,[bp+PageBase]
;= 035e08
	mov	ax,SCREEN_SEG
;= b800a0
	mov	es,ax
;= 8ec0
	mov	cl,byte ptr [bp+X]
;= 8a4e04
	and	cl,011b
;= 80e103
	mov	ax,0100h + 2
;= b80201
	shl	ah,cl
;= d2e4
	mov	dx,SC_INDEX
;= bac403
	out	dx,ax
;= ef
	mov	al,byte ptr [bp+Color]
;= 8a460a
	mov	es:[bx],al
;= 268807
	pop	bp
;= 5d
	ret
;= c3
_WritePixelX	endp
	end
