; Records, unions, typedefs and text in MASM 6
        .MODEL  small, pascal
        .486
Attr    RECORD  blink:1=0, back:3=1, bright:1, fore:3=7
Date    RECORD  dyear:7, dmonth:4, dday:5
PBYTE   TYPEDEF PTR BYTE
PPBYTE  TYPEDEF PTR PBYTE
HANDLE  TYPEDEF WORD
COUNT   TYPEDEF SWORD
FPVOID  TYPEDEF FAR PTR
PFUNC   TYPEDEF PROTO NEAR PASCAL :WORD
PPF     TYPEDEF PTR PFUNC
both    UNION
w       WORD    0
b       BYTE    2 DUP (?)
both    ENDS
rect    STRUCT  2
left    WORD    ?
top     BYTE    ?
right   WORD    ?
rect    ENDS
        .DATA
normal  Attr    <>
;= 17
warn_   Attr    <1,4,1,6>
;= ce
today   Date    <96-80,10,23>
;= 5721
attrs   Attr    10 DUP (<0,0,0,7>)
;= 07070707070707070707
p1      PBYTE   normal
;= 0000
h       HANDLE  -1
;= ffff
u       both    <1234h>
;= 3412
r       rect    <1,2,3>
;= 010002000300
func    PPF     handler
;= 5000
far1    FPVOID  normal
;= 00001610
len     EQU     SIZEOF rect
msg     TEXTEQU <"Text, with a comma">
text    BYTE    msg, 0
;= 546578742c2077697468206120636f6d6d6100
n       =       0
        WHILE   n LT 4
        BYTE    n*n
n       =       n+1
        ENDM
;= 00010409
        .CODE
        .STARTUP
;= ba16108eda8cd32bdac1e304fa8ed203e3fb
        mov     al, MASK back OR MASK fore
;= b077
        mov     cl, fore
;= b100
        mov     ch, back
;= b504
        mov     ah, warn_
;= 8a260100
        and     ah, NOT MASK blink
;= 80e47f
        mov     bx, today
;= 8b1e0200
        and     bx, MASK dmonth
;= 81e3e001
        shr     bx, dmonth
;= c1eb05
        mov     dl, WIDTH dmonth
;= b204
        mov     al, u.b[1]
;= a01300
        mov     ax, u.w
;= a11200
        mov     bx, p1
;= 8b1e0e00
        mov     BYTE PTR [bx], Attr <0,1,0,2>
;= c60712
        les     di, far1
;= c43e1c00
        invoke  PFUNC PTR func, 5
;= 6a05ff161a00
        mov     cx, LENGTHOF attrs
;= b90a00
        mov     cx, SIZEOF attrs
;= b90a00
        mov     dx, len
;= ba0600
        .EXIT
;= b44ccd21
handler PROC    n_:WORD
        mov     ax, n_
;= 558bec8b4604
        .IF     ax & 1
;= a901007401
        inc     ax
;= 40
        .ENDIF
        ret
;= c9c20200
handler ENDP
        END
