; Fast line drawing after Bresenham, EGA/VGA planar modes, C near-callable.
; void EVGALine(X0, Y0, X1, Y1, Color)
EVGA_SCREEN_WIDTH_IN_BYTES equ 80
EVGA_SCREEN_SEGMENT equ 0a000h
GC_INDEX	equ 3ceh
SET_RESET_INDEX	equ 0
ENABLE_SET_RESET_INDEX equ 1
BIT_MASK_INDEX	equ 8
; stack frame structure
EVGALineParms	struc
	dw	?	;pushed BP
	dw	?	;pushed return address (make double word for far call)
X0	dw	?
Y0	dw	?
X1	dw	?
Y1	dw	?
Color	db	?
	db	?	;padding
EVGALineParms	ends

LINE1	macro	MOVE_LEFT
	local	LineLoop, MoveXCoord, NextPixel, Line1End
	local	MoveToNextByte, ResetBitMaskAccumulator
	mov	cx,dx
	jcxz	Line1End
	shl	si,1
	mov	bp,si
	sub	bp,dx
	shl	dx,1
	sub	si,dx
	mov	dx,GC_INDEX+1
	mov	ah,al
	xor	al,al
LineLoop:
	or	al,ah
	and	bp,bp
	jns	MoveXCoord
	add	bp,si
	jmp	NextPixel
MoveXCoord:
	add	bp,si
	if MOVE_LEFT
	rol	ah,1
	else
	ror	ah,1
	endif
	jc	MoveToNextByte
NextPixel:
	loop	LineLoop
	jmp	Line1End
MoveToNextByte:
	out	dx,al
	xchg	byte ptr [bx],al
	if MOVE_LEFT
	dec	bx
	else
	inc	bx
	endif
ResetBitMaskAccumulator:
	sub	al,al
	loop	LineLoop
Line1End:
	or	al,ah
	out	dx,al
	xchg	[bx],al
	endm

_TEXT	segment	byte public 'CODE'
	assume	cs:_TEXT
	public	_EVGALine
_EVGALine	proc	near
	push	bp
;= 55
	mov	bp,sp
;= 8bec
	push	si
;= 56
	push	di
;= 57
	push	ds
;= 1e
	mov	dx,GC_INDEX
;= bace03
	mov	al,SET_RESET_INDEX
;= b000
	out	dx,al
;= ee
	inc	dx
;= 42
	mov	al,[bp+Color]
;= 8a460c
	out	dx,al
;= ee
	dec	dx
;= 4a
	mov	ax,(0fh shl 8) or ENABLE_SET_RESET_INDEX
;= b8010f
	out	dx,ax
;= ef
	mov	si,[bp].X1
;= 8b7608
	sub	si,[bp].X0
;= 2b7604
	mov	ax,[bp+Y0]
;= 8b4606
	mov	cx,[bp+Y1]
;= 8b4e0a
	cmp	cx,ax
;= 3bc8
	jge	SetupDone
;= 7d09
	xchg	ax,cx
;= 91
	mov	[bp].Y0,ax
;= 894606
	mov	[bp].Y1,cx
;= 894e0a
	neg	si
;= f7de
SetupDone:
	mov	bx,EVGA_SCREEN_WIDTH_IN_BYTES
;= bb5000
	mul	bx
;= f7e3
	mov	bx,[bp+X0]
;= 8b5e04
	mov	cl,bl
;= 8acb
	shr	bx,1
;= d1eb
	shr	bx,1
;= d1eb
	shr	bx,1
;= d1eb
	add	bx,ax
;= 03d8
	and	cl,07h
;= 80e107
	mov	al,80h
;= b080
	shr	al,cl
;= d2e8
	mov	cx,EVGA_SCREEN_SEGMENT
;= b900a0
	mov	ds,cx
;= 8ed9
	mov	dx,[bp].Y1
;= 8b560a
	sub	dx,[bp].Y0
;= 2b5606
	or	si,si
;= 0bf6
	js	GoLeft
;= 7838
	LINE1	0
;= 8bcae32dd1e68bee2bead1e22bf2bacf038ae032c00ac423ed790403eeeb0603eed0cc7204e2eeeb08ee8607432ac0e2e40ac4ee8607
	jmp	EVGALineDone
;= eb38
GoLeft:	neg	si
;= f7de
	LINE1	1
;= 8bcae32dd1e68bee2bead1e22bf2bacf038ae032c00ac423ed790403eeeb0603eed0c47204e2eeeb08ee86074b2ac0e2e40ac4ee8607
EVGALineDone:
	pop	ds
;= 1f
	pop	di
;= 5f
	pop	si
;= 5e
	pop	bp
;= 5d
	ret
;= c3
_EVGALine	endp
_TEXT	ends
	end
