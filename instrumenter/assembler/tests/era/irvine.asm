TITLE Integer Summation Program		     (Sum2.asm)

; This program inputs multiple integers from the user,
; stores them in an array, calculates the sum of the
; array, and displays the sum.

.386
.MODEL flat, stdcall
.STACK 4096

ExitProcess PROTO, dwExitCode:DWORD
WriteString PROTO
ArraySum PROTO, ptrArray:PTR SDWORD, szArray:DWORD

IntegerCount = 3

STUDENT STRUCT
   IdNum    BYTE "000000000"
   LastName BYTE 30 DUP(0)
   ALIGN WORD
   Years    WORD 0
   ALIGN DWORD
   SalaryHistory DWORD 0,0,0,0
STUDENT ENDS

.data
prompt1 BYTE  "Enter a signed integer: ",0
;= 456e7465722061207369676e656420696e74656765723a2000
prompt2 BYTE  "The sum of the integers is: ",0
;= 5468652073756d206f662074686520696e7465676572732069733a2000
array   SDWORD  IntegerCount DUP(?)
;= 000000000000000000000000
ones    SDWORD 1,2,3,-4
;= 010000000200000003000000fcffffff
onesLen = ($ - ones) / TYPE ones
class1  STUDENT <>
;= 303030303030303030000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
class2  STUDENT <"123456789","Smith",5>
;= 313233343536373839536d69746800000000000000000000000000000000000000000000000000000500000000000000000000000000000000000000
group1  STUDENT 10 DUP(<>)
;= 600 bytes, 8a85ec65
list3   WORD 5 DUP(2 DUP(?),0FFFFh)
;= 00000000ffff00000000ffff00000000ffff00000000ffff00000000ffff
pStr    DWORD prompt1
;= 00204000
rVal    REAL8 -1.2
;= 333333333333f3bf
rBig    REAL10 4.6E+20
;= 00803d8656427ec74340
packed  TBYTE 800000000000001234h
;= 34120000000000008000

mWrite MACRO text:REQ
	LOCAL string
	.data
	string BYTE text,0
	.code
	push edx
	mov  edx,OFFSET string
	call WriteString
	pop  edx
ENDM

mPutchar MACRO char
	IFB <char>
	   ECHO no character
	   EXITM
	ENDIF
	push eax
	mov al,char
	pop eax
ENDM

.code
main PROC
	mWrite "hello"
;= 68656c6c6f0052ba60234000e8000000005a
	mPutchar 'x'
;= 50b07858
	mov  esi,OFFSET ones
;= be42204000
	mov  ecx,LENGTHOF ones
;= b904000000
	INVOKE ArraySum, ADDR ones, onesLen
;= 6a046842204000e87d000000
	mov  array[0],eax
;= a336204000
	mov  array[TYPE array],eax
;= a33a204000
	mov  array+8,eax
;= a33e204000
	mov  edx,OFFSET prompt2
;= ba19204000
	call WriteString
;= e800000000
	mov  (STUDENT PTR [esi]).Years,10
;= 66c746280a00
	mov  class1.SalaryHistory[4],100
;= c7058220400064000000
	mov  group1[SIZEOF STUDENT].Years,1
;= 66c7052e2140000100
	.IF (eax > ebx) && (eax > ecx)
;= 3bc3760b3bc17607
	    mov edx,1
;= ba01000000
	.ELSEIF eax == ebx || ecx < 10
;= eb153bc3740583f90a7307
	    mov edx,2
;= ba02000000
	.ELSE
;= eb05
	    mov edx,3
;= ba03000000
	.ENDIF
	mov eax,0
;= b800000000
	.WHILE eax < 10
;= eb0d
	    inc eax
;= 40
	    .IF eax == 5
;= 83f8057502
	        .CONTINUE
;= eb05
	    .ENDIF
	    .BREAK .IF ebx > 7
;= 83fb077705
	.ENDW
;= 83f80a72ee
	movzx eax,BYTE PTR class2.IdNum
;= 0fb6058e204000
	INVOKE ExitProcess,0
;= 6a00e800000000
main ENDP

ArraySum PROC USES esi ecx,
	ptrArray:PTR SDWORD,	; points to the array
	szArray:DWORD	 	; array size
	LOCAL total:DWORD, temp[4]:BYTE
	mov  esi,ptrArray
;= 558bec83ec0856518b7508
	mov  ecx,szArray
;= 8b4d0c
	mov  eax,0
;= b800000000
	cmp  ecx,0
;= 83f900
	je   L2
;= 7407
L1:	add  eax,[esi]
;= 0306
	add  esi,4
;= 83c604
	loop L1
;= e2f9
L2:	mov  total,eax
;= 8945fc
	lea  edi,temp
;= 8d7df8
	ret
;= 595ec9c20800
ArraySum ENDP
END main
