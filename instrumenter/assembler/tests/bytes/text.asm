; Text: macro arguments, functions, and names for text.
        .386
        .model flat
        .data
x       dd 5
;= 05000000
dq_     macro s, n
        db s, n
        endm
quoted  macro t
        local x1
x1      catstr <!">, <t>, <!">
        db x1
        endm
cat2    macro a, b
        db @CatStr(!", <a>, <b>, !")
        endm
        quoted hello
;= 68656c6c6f
        cat2 ab, cd
;= 61626364
        dq_ <'a!,b'>, 5
;= 612c6205
        dq_ 'a,b', 6
;= 612c6206
        dq_ <"a">, 5
;= 6105
num     equ <4>
n2      textequ %num+1
        db n2
;= 05
        dq_ %num*2, %(num+n2)
;= 0809
m       macro cond, text:vararg
        if cond
        db text
        endif
        endm
        m num eq 4, <"yes %X", 13, 10>
;= 7965732025580d0a
        m 0, <"no">
        m 1, "a", 'b', 3
;= 616203
tail    macro args:vararg
        irp a, <args>
        db a
        endm
        endm
        tail 1, 2, 3
;= 010203
        tail <4, 5>, 6
;= 040506
        for i, <<7, 8>, 9>
        db i
        endm
;= 070809
gen     macro n
        irpc c, n
        db "&c"
        endm
        endm
        gen 123
;= 313233
        gen %num*25
;= 313030
outer   macro n
inner_&n macro v
        db v, n
        endm
        endm
        outer 7
        inner_7 8
;= 0807
rec     macro n
        if n gt 0
        db n
        rec %(n-1)
        endif
        endm
        rec 3
;= 030201
lbl     macro n
lab&n:  nop
lab&n&x equ n
        jmp lab&n
        endm
        .code
        lbl 1
;= 90ebfd
        lbl 2
;= 90ebfd
        mov eax, lab1x
;= b801000000
        call $+5
;= e800000000
        .data
txt     equ <"literal">
        db txt
;= 6c69746572616c
e1      equ 'A'
        db e1
;= 41
e2      equ "BC"
        db e2
;= 4243
e3      equ x+2
        dd e3
;= 02204000
e4      equ [ebx+4]
        .code
        mov eax, e4
;= 8b4304
e5      equ <mov eax,>
        e5 5
;= b805000000
e6      equ ebx
        mov e6, 5
;= bb05000000
e7      equ dword ptr [esi]
        inc e7
;= ff06
e8      =       3*4
        mov al, e8
;= b00c
e9      equ $
        jmp e9
;= ebfe
e10     equ this byte
        mov al, e10
;= a023104000
e11     equ offset x
        mov eax, e11
;= b800204000
e12     equ 1 shl 5 or 3
        mov al, e12
;= b023
e13     equ -1
        mov eax, e13
;= b8ffffffff
e14     equ eax
        push e14
;= 50
        .if (al == 'x') || (al == "y")
;= 3c7874043c797500
        .endif
        end
;---
; Text functions take words as they are, so that they join parts of names; `%` expands them, as directives do.
        .386
        .model  flat
x6      equ     <esi>
x6_R    equ     <edi>
load    macro   name
        mov     eax, @CatStr(name, _R)
        endm
        .code
start:  load    x6
;= 8bc7
        mov     eax, @CatStr(x6, _R)
;= 8bc7
%       mov     eax, @CatStr(x6)
;= 8bc6
n       catstr  x6, <>
        mov     eax, n
;= 8bc6
        mov     ebx, @SizeStr(x6)
;= bb02000000
        mov     ebx, @SizeStr(%x6)
;= bb03000000
        mov     ebx, @InStr(1, x6, <6>)
;= bb02000000
        end     start
;---
; What is known before the first line: the date and the time are always the same.
        .model  small
        .data
        db      ??date, ??time, ??filename
;= 30312f30312f393630303a30303a30307465737420202020
        dw      ??version
;= 0005
%       db      '&@FileName &@Date &@Time'
;= 746573742030312f30312f39362030303a30303a3030
%       ifidn   <@CurSeg>, <_DATA>
        db      1
;= 01
        endif
@CurSeg ends
part    segment
%       db      '&@CurSeg'
;= 70617274
part    ends
        end
;---
; A text that is used before the line that defines it.
code    segment
        assume  cs:code
start:  mov     ax, field
;= 8b4702
        mov     dl, part
;= 8ad1
ifdef   part
        .err
endif
        jmp     short done
;= eb04
        mov     byte ptr [si+last], 5
;= c6440705
done:   ret
;= c3
field   equ     word ptr [bx+2]
;! field | warning: `field` stands for this text before this line, too
;!   = define it before its first use: some assemblers know it there only in another pass, others never
part    equ     <cl>
;! part | warning: `part` stands for this text before this line, too
;!   = define it before its first use: some assemblers know it there only in another pass, others never
last    equ     7
code    ends
        end     start
;---
; A quote alone in angle brackets is a text, and a function between two of them is called. Quotes in pairs are as they
; stand.
        .386
        .model  flat
a       textequ <one>
b       textequ <two>
s1      catstr  <'>, @CatStr(%a, %b), <'>
s2      catstr  <">, @SubStr(<abcdef>, 2, 3), <">, <, 'x, y'>
s3      textequ <'it is'>
quoted  macro   before, text, after
        db      before&text&after
        endm
        .data
        db      s1
;= 6f6e6574776f
        db      s2
;= 626364782c2079
        db      s3
;= 6974206973
        quoted  <'>, @CatStr(%a, %b), <'>
;= 6f6e6574776f
        .code
        nop
;= 90
        end
;---
; A later line may make the word behind a point a text.
        .model  small
        .code
        mov     ax, [bx].late
;= 8b4704
        mov     ax, [bx].later
;= 8b4706
late    equ     <4>
;! late | warning: `late` stands for this text before this line, too
;!   = define it before its first use: some assemblers know it there only in another pass, others never
later   equ     <word ptr 6>
;! later | warning: `later` stands for this text before this line, too
;!   = define it before its first use: some assemblers know it there only in another pass, others never
        end
