; Column drawing with generated labels, flat code, TASM with PROC before the name
	.386
	.MODEL  small
;! small | warning: memory model ignored: the program is assembled and run as flat 32-bit code
;!   = write `.model flat`, or `.model small` before `.386` for 16-bit segments
	LOCALS
.DATA
FUZZOFFSET	EQU	50
loopcount	dd	?
;= 00000000
pixelcount	dd	?
;= 00000000
SCREENWIDTH	EQU	320
SCREENHEIGHT	EQU	200
PLANEWIDTH equ 80
EXTRN _dc_yl:DWORD, _dc_yh:DWORD
EXTRN _dc_colormap:DWORD
patch1 dd 0
;= 00000000
.CODE
SCALEDEFINE MACRO num
	dd	vscale&num
	ENDM
SCALELABEL MACRO   num
vscale&num:
	ENDM
	ALIGN	4
scalecalls	LABEL
LINE=0
	REPT SCREENHEIGHT+1
	SCALEDEFINE %LINE
LINE=LINE+1
	ENDM
;= 804 bytes, c5348966
PROC   R_DrawColumn_
PUBLIC   R_DrawColumn_
	PUSHAD
;= 60
	mov	ebp,[_dc_yl]
;= 8b2d00000000
	mov	ebx,ebp
;= 8bdd
	mov	eax,[_dc_yh]
;= a100000000
	inc	eax
;= 40
	sub	eax,ebp
;= 2bc5
	js	done
;= 0f8814070000
	lea	edi,[ebp+ebp*4]
;= 8d7cad00
	mov	eax,OFFSET patchx+2
;= b84f134000
	mov	[eax],ebp
;= 8928
	jmp	[scalecalls+4+eax*4]
;= ff248504104000
patchx:
	add	ebp,12345678h
;= 81c578563412
LINE = SCREENHEIGHT
	REPT SCREENHEIGHT-1
	SCALELABEL %LINE
	mov	al,[esi+ebx]
	mov	[edi-(LINE-1)*PLANEWIDTH],al
LINE = LINE-1
	ENDM
;= 1788 bytes, 23ceb101
vscale1:
vscale0:
done:
	POPAD
;= 61
	ret
;= c3
	ENDP
	END
