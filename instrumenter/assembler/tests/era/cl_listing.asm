;	Static Name Aliases
;
	TITLE   sieve.c
	NAME    sieve

	.8087
_TEXT	SEGMENT  WORD PUBLIC 'CODE'
_TEXT	ENDS
_DATA	SEGMENT  WORD PUBLIC 'DATA'
_DATA	ENDS
CONST	SEGMENT  WORD PUBLIC 'CONST'
CONST	ENDS
_BSS	SEGMENT  WORD PUBLIC 'BSS'
_BSS	ENDS
DGROUP	GROUP	CONST, _BSS, _DATA
	ASSUME  CS: _TEXT, DS: DGROUP, SS: DGROUP
EXTRN	__acrtused:ABS
EXTRN	__fltused:NEAR
EXTRN	_printf:NEAR
EXTRN	__chkstk:NEAR
EXTRN	__aFldiv:NEAR
_BSS      SEGMENT
COMM NEAR	_flags:	BYTE:	8191
COMM FAR	_total:	DWORD:	1
$S12_buf	DW 08H DUP (?)
;= 00000000000000000000000000000000
_BSS      ENDS
_DATA      SEGMENT
$SG74	DB	'%d primes', 0aH,  00H
;= 2564207072696d65730a00
	EVEN
;= 00
	PUBLIC	_limit
_limit	DW	01ffeH
;= fe1f
_DATA      ENDS
CONST      SEGMENT
$T20000	DQ	04000000000000000r    ;	2.0
;= 0000000000000040
$T20001	DD	03f800000r
;= 0000803f
CONST      ENDS
_TEXT      SEGMENT
	ASSUME	CS: _TEXT
; Line 10
	PUBLIC	_main
_main	PROC NEAR
	push	bp
;= 55
	mov	bp,sp
;= 8bec
	mov	ax,14
;= b80e00
	call	__chkstk
;= e80000
	push	di
;= 57
	push	si
;= 56
;	i = -2
;	prime = -4
;	d = -14
; Line 12
	mov	WORD PTR [bp-8],0	;count
;= c746f80000
	mov	WORD PTR [bp-2],0	;i
;= c746fe0000
	jmp	SHORT $F77
;= eb0b
$FC78:
	mov	bx,WORD PTR [bp-2]	;i
;= 8b5efe
	mov	BYTE PTR _flags[bx],1
;= c687000001
	inc	WORD PTR [bp-2]
;= ff46fe
$F77:
	cmp	WORD PTR [bp-2],8190
;= 817efefe1f
	jle	$FC78
;= 7eee
	fld	QWORD PTR $T20000
;= 9bdd061400
	fadd	DWORD PTR $T20001
;= 9bd8061c00
	fstp	QWORD PTR [bp-14]	;d
;= 9bdd5ef2
	fwait
;= 9b
	mov	ax,WORD PTR $S12_buf+2
;= a12200
	mov	WORD PTR $S12_buf+4,ax
;= a32400
	mov	ax,OFFSET DGROUP:$SG74
;= b80600
	push	ax
;= 50
	call	_printf
;= e80000
	add	sp,4
;= 83c404
	mov	ax,SEG _total
;= b80000
	mov	es,ax
;= 8ec0
	mov	ax,WORD PTR es:_total
;= 26a10000
	mov	dx,WORD PTR es:_total+2
;= 268b160200
	sal	ax,1
;= d1e0
	rcl	dx,1
;= d1d2
	cwd
;= 99
	idiv	WORD PTR [bp-4]
;= f77efc
	imul	WORD PTR _limit
;= f72e1200
	lea	ax,WORD PTR [bp-14]
;= 8d46f2
	mov	bx,WORD PTR [bp+4]
;= 8b5e04
	cmp	bx,3
;= 83fb03
	ja	$SC90
;= 7711
	shl	bx,1
;= d1e3
	jmp	WORD PTR cs:$L20002[bx]
;= 2effa77400
$L20002	LABEL WORD
		DW	$SC90
;= 7e00
		DW	$SC91
;= 7c00
		DW	$SC91
;= 7c00
		DW	$SC90
;= 7e00
$SC91:
	mov	al,1
;= b001
$SC90:
	cbw
;= 98
$EX70:
	pop	si
;= 5e
	pop	di
;= 5f
	mov	sp,bp
;= 8be5
	pop	bp
;= 5d
	ret	
;= c3
_main	ENDP
_TEXT	ENDS
END
