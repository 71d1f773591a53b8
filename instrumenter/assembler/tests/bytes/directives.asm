; Directives of MASM 5 and 6.
        page    66,132
        title   a test of "things"
        subttl  more
        name    foo
        .sall
        .xlist
        .list
        .lfcond
        comment *
  anything ; mov
        * more
        comment ~ one line ~
.286c
.8087
include1 equ 1
dosseg
        .model small, pascal
        ;; doubly
        %out hello world
        if1
        %out pass one
        endif
        if2
        endif
data    segment word public 'DATA'
data    ends
stk     segment stack 'stack'
        dw 100 dup ('st')
;= 200 bytes, 0e09cc55
stk     ends
dgroup  group data, stk
code    segment byte public 'CODE'
        assume cs:code, ds:dgroup, es:nothing, ss:stk
        assume nothing
        assume cs:code,ds:data
m0      macro
        nop
        endm
m1      macro a,b,c
        ifb <a>
        exitm
        endif
        ifidn <a>,<ax>
        nop
        endif
        ifdif <b>,<bx>
        nop
        endif
        ifnb <c>
        mov a,c
        endif
        endm
m2      macro name, val
name&_x = val
&name&_y equ val
        db "&name", '&val&'
        irp x,<1,2,3>
        db x
        endm
        irpc c,abc
        db '&c'
        endm
        endm
m3      macro list
        irp z,<list>
        push z
        endm
        endm
m4      macro
        local a,b
        local c
a:      jmp b
b:      jz c
c:
        endm
m5      macro x
        if x
        m5 %x-1
        endif
        db x
        endm
m6      macro x:req, y:=<5>, z:vararg
        db x,y
        for q,<z>
        db q
        endm
        endm
        m0
;= 90
        m1
        m1 ax,bx,5
;= 90b80500
        m1 <ax>,<cx>,<word ptr [bx]>
;= 90908b07
        m2 foo,3
;= 666f6f33010203616263
        m3 <ax,bx,cx>
;= 505351
        m4
;= eb007400
        m4
;= eb007400
        m5 2
;= 000102
        m6 1
;= 0105
        m6 1,2,3,4
;= 01020304
        m6 1,,7
;= 010507
        db foo_x, foo_y
;= 0303
        rept 3
        nop
        endm
;= 909090
count   = 0
        rept 4
        db count
count   = count+1
        endm
;= 00010203
        while count gt 0
        db count
count   = count-1
        endm
;= 04030201
        repeat 2
        nop
        endm
;= 9090
        forc ch,<xyz>
        db "&ch"
        endm
;= 78797a
txt     equ <mov ax,bx>
        txt
;= 8bc3
txt2    textequ <5>
txt3    textequ txt2,<+1>
txt4    textequ %(3*4)
        mov al,txt3
;= b006
        mov al,txt4
;= b00c
n1      instr <abc>,<c>
n2      sizestr <abcd>
t1      substr <abcdef>,2,3
        db "&t1"
;= 267431
        db n1,n2
;= 0304
        .radix 16
        db 10
;= 10
        .radix 10
        org 200h
        purge m0
lab     label word
lab2    label near
p1      proc near
        ret
;= c3
p1      endp
p2      proc far
        ret
;= cb
p2      endp
p3      proc c near uses si di, a1:word, b1:ptr byte, c2:far ptr word
        local l1:word, l2[5]:byte, l3:dword
        mov ax, a1
;= 558bec83ec0c56578b4604
        mov bx, b1
;= 8b5e06
        les bx, c2
;= c45e08
        mov l1, ax
;= 8946fe
        mov l2[2], al
;= 8846fb
        mov word ptr l3, ax
;= 8946f4
        mov word ptr l3+2, ax
;= 8946f6
        ret
;= 5f5ec9c3
p3      endp
        .if ax == 5
;= 83f8057503
        nop
;= 90
        .elseif bx > 3 && cx < 4
;= eb0e83fb03760883f9047303
        nop
;= 90
        .else
;= eb01
        nop
;= 90
        .endif
        .while ax != 0
;= eb01
        dec ax
;= 48
        .endw
;= 0bc075fb
        .repeat
        dec bx
;= 4b
        .until bx == 0
;= 0bdb75fb
        .repeat
        .untilcxz
;= e2fe
        .if carry?
;= 7300
        .endif
        .if byte ptr [bx] == 'a' || !(al & 1)
;= 803f617404a8017501
        nop
;= 90
        .endif
        .if sword ptr ax < -5
;= 83f8fb7d00
        .endif
code    ends
        end
