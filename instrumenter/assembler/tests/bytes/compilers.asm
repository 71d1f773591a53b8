; What compilers of C write: Microsoft's,
	TITLE	x.c
	.386P
if @Version gt 510
.model FLAT
else
_TEXT	SEGMENT PARA USE32 PUBLIC 'CODE'
_TEXT	ENDS
_DATA	SEGMENT DWORD USE32 PUBLIC 'DATA'
_DATA	ENDS
_BSS	SEGMENT DWORD USE32 PUBLIC 'BSS'
_BSS	ENDS
$$SYMBOLS	SEGMENT BYTE USE32 'DEBSYM'
$$SYMBOLS	ENDS
FLAT	GROUP _DATA, CONST, _BSS
	ASSUME	CS: FLAT, DS: FLAT, SS: FLAT
endif
INCLUDELIB LIBC
PUBLIC	_main
EXTRN	_printf:NEAR
EXTRN	__fltused:NEAR
_DATA	SEGMENT
$SG1	DB	'hi %d', 0aH, 00H
;= 68692025640a00
	ORG $+2
_x	DD	01H
;= 01000000
_DATA	ENDS
CONST	SEGMENT
$T1	DQ	03ff0000000000000r	; 1
;= 000000000000f03f
CONST	ENDS
_TEXT	SEGMENT
_i$ = -4
_argc$ = 8
_main	PROC NEAR
; File x.c
; Line 5
	push	ebp
;= 55
	mov	ebp, esp
;= 8bec
	sub	esp, 4
;= 83ec04
	mov	DWORD PTR _i$[ebp], 0
;= c745fc00000000
	jmp	SHORT $L10
;= eb09
$L11:
	mov	eax, DWORD PTR _i$[ebp]
;= 8b45fc
	add	eax, 1
;= 83c001
	mov	DWORD PTR _i$[ebp], eax
;= 8945fc
$L10:
	cmp	DWORD PTR _i$[ebp], 10
;= 837dfc0a
	jge	SHORT $L12
;= 7d29
	push	OFFSET FLAT:$SG1
;= 6800204000
	call	_printf
;= e800000000
	add	esp, 4
;= 83c404
	fld	QWORD PTR $T1
;= dd0500304000
	fstp	QWORD PTR [esp]
;= dd1c24
	mov	al, BYTE PTR _x
;= a009204000
	mov	eax, DWORD PTR _x[eax*4]
;= 8b048509204000
	jmp	DWORD PTR $L20[eax*4]
;= ff248550104000
$L12:
	xor	eax, eax
;= 33c0
	mov	esp, ebp
;= 8be5
	pop	ebp
;= 5d
	ret	0
;= c20000
_main	ENDP
	ALIGN 4
;= 90
$L20:
	DD	$L11
;= 0f104000
	DD	OFFSET FLAT:$L12
;= 47104000
_TEXT	ENDS
END
;---
; Borland's for 32 bits,
	.386p
	ifdef ??version
	if    ??version GT 500H
	.mmx
	endif
	endif
	model flat
	ifndef	??version
	?debug	macro
	endm
	endif
	?debug	S "x.c"
	?debug	T "x.c"
_TEXT	segment dword public use32 'CODE'
_TEXT	ends
_DATA	segment dword public use32 'DATA'
_DATA	ends
_BSS	segment dword public use32 'BSS'
_BSS	ends
DGROUP	group	_BSS,_DATA
_TEXT	segment dword public use32 'CODE'
_main	proc	near
?live1@0:
	?debug L 3
	push      ebp
;= 55
	mov       ebp,esp
;= 8bec
@1:
	push      offset s@
;= 6800204000
	call      _printf
;= e800000000
	pop       ecx
;= 59
	xor       eax,eax
;= 33c0
?live1@48:
@3:
@2:
	pop       ebp
;= 5d
	ret 
;= c3
_main	endp
_TEXT	ends
_DATA	segment dword public use32 'DATA'
s@	label	byte
	;	s@+0:
	db	"hi",0
;= 686900
	align	4
;= 00
_DATA	ends
_TEXT	segment dword public use32 'CODE'
_TEXT	ends
	extrn	_printf:near
	public	_main
	?debug	D "x.c" 1 2
	end
;---
; and for 16 bits,
	.286p
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
_TEXT	segment byte public 'CODE'
	assume	cs:_TEXT
_f	proc	near
	push	bp
;= 55
	mov	bp,sp
;= 8bec
	mov	ax,word ptr [bp+4]
;= 8b4604
	mov	word ptr DGROUP:_x,ax
;= a30c00
	mov	dx,offset DGROUP:s@
;= ba0800
	push	word ptr DGROUP:_x
;= ff360c00
	call	near ptr _g
;= e80000
	jmp	short @1@58
;= eb00
@1@58:
	pop	bp
;= 5d
	ret	
;= c3
_f	endp
_TEXT	ends
_BSS	segment word public 'BSS'
_x	label	word
	db	2 dup (?)
;= 0000
_BSS	ends
	?debug	C E9
_DATA	segment word public 'DATA'
s@	label	byte
	db	'abc'
;= 616263
	db	0
;= 00
_DATA	ends
	extrn	_g:near
	public	_f
_s@	equ	s@
	$comm	_y,near,2,10
	end
;---
; and Watcom's.
.387
.386p
.model flat
                PUBLIC  main_
                EXTRN   printf_:BYTE
                EXTRN   __begtext:BYTE
_TEXT           SEGMENT DWORD PUBLIC USE32 'CODE'
                ASSUME  CS:_TEXT ,DS:DGROUP,SS:DGROUP
main_:
    push        offset L$1 
;= 6800204000
    call        near ptr printf_ 
;= e800000000
    add         esp,4
;= 83c404
    xor         eax,eax
;= 33c0
    jmp         near ptr L$2
;= e900000000
L$2:
    ret         
;= c3
_TEXT           ENDS
CONST           SEGMENT DWORD PUBLIC USE32 'DATA'
L$1:
    DB  48H, 69H, 0
;= 486900
CONST           ENDS
_DATA           SEGMENT DWORD PUBLIC USE32 'DATA'
_DATA           ENDS
DGROUP GROUP CONST,_DATA
                END
;---
; Groups of 32-bit segments before a name.
	.386
_DATA	segment dword use32 public 'DATA'
x	dd	5
;= 05000000
_DATA	ends
DGROUP	group	_DATA
_TEXT	segment para use32 public 'CODE'
	assume	cs:_TEXT, ds:DGROUP
s:	push	offset DGROUP:x
;= 6800204000
	mov	eax, DGROUP:x
;= a100204000
	mov	ax, DGROUP
;= 66b81000
_TEXT	ends
	end	s
