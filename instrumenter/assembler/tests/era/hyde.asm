; Matrix access in the style of a university course: MASM 6 types, small helper macros, 16 bits
                .xlist
                .286
                .list
wp              textequ <word ptr>
bp_             textequ <byte ptr>
integer         typedef sword
char            typedef byte
array2          struct
data            integer 4 dup (4 dup (?))
array2          ends
NL              equ     <0dh,0ah>
NULL            =       0

dseg            segment para public 'data'
i               integer ?
;= 0000
j               integer ?
;= 0000
k               integer 0
;= 0000
A               integer 16 dup (0)
;= 0000000000000000000000000000000000000000000000000000000000000000
B               integer 4 dup (1,2,3,4)
;= 0100020003000400010002000300040001000200030004000100020003000400
fmt             byte    "A[%d,%d]=",0
;= 415b25642c25645d3d00
name_           char    "who",NULL
;= 77686f00
ptr_            dword   A
;= 06001810
mats            array2  2 dup (<>)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
dseg            ends

cseg            segment para public 'code'
                assume  cs:cseg, ds:dseg

index           macro   row, col
                mov     bx, row
                shl     bx, 2
                add     bx, col
                shl     bx, 1
                endm
putc            macro
                push    dx
                mov     dl, al
                mov     ah, 2
                int     21h
                pop     dx
                endm
print           macro   text:vararg
                local   str_, skip
                jmp     skip
str_            byte    text,0
skip:           mov     si, offset str_
                call    puts
                endm
ForLp           macro   LCV, Start, Stop
                local   again, done
                mov     ax, Start
                mov     LCV, ax
again:          mov     ax, LCV
                cmp     ax, Stop
                jg      done
next_&LCV       macro
                inc     LCV
                jmp     again
done:
                endm
                endm

puts            proc    near
p0:             mov     al, cs:[si]
;= 2e8a04
                cmp     al, NULL
;= 3c00
                je      p1
;= 740b
                putc
;= 528ad0b402cd215a
                inc     si
;= 46
                jmp     p0
;= ebee
p1:             ret
;= c3
puts            endp

Main            proc
                mov     ax, dseg
;= b81810
                mov     ds, ax
;= 8ed8
                mov     es, ax
;= 8ec0
                print   "Start", NL
;= eb0853746172740d0a00be1c00e8d6ff
                ForLp   i, 0, 3
;= b80000a30000a1000083f8037f2f
                ForLp   j, 0, 3
;= b80000a30200a1020083f8037f1b
                index   i, j
;= 8b1e0000c1e302031e0200d1e3
                mov     ax, B[bx]
;= 8b872600
                mov     A[bx], ax
;= 89870600
                next_j
;= ff060200ebdd
                next_i
;= ff060000ebc9
                les     di, ptr_
;= c43e5400
                mov     wp es:[di+2], 5
;= 26c745020500
                mov     bp_ es:[di], 'x'
;= 26c60578
                mov     ax, mats.data[2]
;= a15a00
                mov     ax, mats[sizeof array2].data[bx]
;= 8b877800
Quit:           mov     ah, 4ch
;= b44c
                int     21h
;= cd21
Main            endp
cseg            ends

sseg            segment para stack 'stack'
stk             byte    128 dup ("stack   ")
;= 1024 bytes, 49378dc5
sseg            ends

zzzzzzseg       segment para public 'zzzzzz'
LastBytes       byte    16 dup (?)
;= 00000000000000000000000000000000
zzzzzzseg       ends
                end     Main
