.macro ENTRY name
.globl \name
.align 16
\name:
.endm
.macro RND a b c d, n=0
	.if (\n & 3) == 2 && \n
	xorl \a, \b
	.else
	addl \a, \b; roll $(\n+1), \c
	.endif
	leal 0x10\n(\c, \d), \a
.endm
	.text
ENTRY go
	RND %eax %ebx %ecx %edx
	RND %ebx, %ecx, %edx, %eax, 2
	RND %ebx, %ecx, %edx, %eax, n=6
	RND a=%ebx b=%ecx c=%edx d=%eax n=7
	ret
.macro table n
	.if \n
	table (\n-1)
	.endif
	.long \n*\n
.endm
	.data
sq:	table 5
