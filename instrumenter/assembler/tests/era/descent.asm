; Fixed-point vector maths with high-level equates, in the style of a six-degrees-of-freedom game.
.386
option oldstructs

	.nolist
ENABLE_CHECKS equ 0
fix struc
fix	ends
vms_vector struc
x	dd	?
y	dd	?
z	dd	?
vms_vector ends
vms_matrix struc
rvec	vms_vector <>
uvec	vms_vector <>
fvec	vms_vector <>
vms_matrix ends
f1_0	equ	10000h
f0_5	equ	8000h

push_regs macro	regs:VARARG
irp r,<regs>
	push	r
endm
endm
pop_regs macro regs:VARARG
	local	list
list	equ	<>
irp r,<regs>
list	catstr	<r>,<,>,list
endm
%	irp r,<list>
  ifnb <r>
	pop	r
  endif
endm
endm
pushm	macro	l:VARARG
	irp	i,<l>
	push	i
	endm
endm
popm	macro	l:VARARG
	irp	i,<l>
	pop	i
	endm
endm
fixmul	macro	src
	imul	src
	shrd	eax,edx,16
endm
sk_if	macro	cond
	local	label
	j&cond	label
skip_label textequ <label>
endm
sk_endif macro
skip_label:
endm
lsym	macro	name,val
name	equ	val
endm
debug_brk macro	str
	ifdef	DEBUG_ON
	local	a
	.data
a	db	str,0
	.code
	endif
endm
	.list

	.model	flat
	.data
	align	4
tempv	vms_vector <>
;= 000000000000000000000000
tempm	vms_matrix <<f1_0,0,0>,<0,f1_0,0>,<0,0,f1_0>>
;= 000001000000000000000000000000000000010000000000000000000000000000000100
parity	dd	?
;= 00000000
	.code
	public	vm_vec_add_,vm_vec_dotprod_

vm_vec_add_:
	pushm	ebx,ecx
;= 5351
	mov	ebx,[esi].x
;= 8b1e
	add	ebx,[edi].x
;= 031f
	mov	[eax].x,ebx
;= 8918
	for	e,<y,z>
	mov	ebx,[esi].e
	add	ebx,[edi].e
	mov	[eax].e,ebx
	endm
;= 8b5e04035f048958048b5e08035f08895808
	popm	ecx,ebx
;= 595b
	ret
;= c3

vm_vec_dotprod_:
	push_regs ebx,ecx,edx
;= 535152
	mov	eax,[esi].vms_vector.x
;= 8b06
	imul	[edi].x
;= f72f
	mov	ebx,eax
;= 8bd8
	mov	ecx,edx
;= 8bca
	mov	eax,[esi].y
;= 8b4604
	imul	[edi].y
;= f76f04
	add	ebx,eax
;= 03d8
	adc	ecx,edx
;= 13ca
	mov	eax,tempm.uvec.z
;= a120204000
	fixmul	tempm.fvec.x
;= f72d242040000facd010
	fixmul	ebx
;= f7eb0facd010
	or	eax,eax
;= 0bc0
	sk_if	ns
;= 7902
	neg	eax
;= f7d8
	sk_endif
	shrd	ebx,ecx,16
;= 0faccb10
	mov	eax,ebx
;= 8bc3
	lea	esi,[ebx].fvec
;= 8d7318
	lea	edi,[edi+(size vms_vector)]
;= 8d7f0c
	debug_brk 'dot'
	pop_regs ebx,ecx,edx
;= 5a595b
	ret
;= c3
	lsym	here,$
	dd	here
;= 5d104000
	end
