; Constructs of published sources for MASM, which older and newer versions take.
q       equ     <a>
q2      equ     <a>
blank   equ     <>
dbg     equ     <;>
dbg2    textequ <;>
code    segment
        assume  cs:code
        dbg     hello , "x
        dbg2    hello , "x
        ifidn   q, <a>
        db      1
;= 01
        else
        db      0FFh
        endif
        ifidn   q, q2
        db      2
;= 02
        endif
        ifdif   <b>, q
        db      3
;= 03
        endif
        ifb     blank
        db      4
;= 04
        endif
        ifnb    q
        db      5
;= 05
        endif
        .errdif q, <a>
        ifdef   <q>
        db      6
;= 06
        endif
        ifdef   <nothing>
        db      7
        endif
        if2
        ifndef  foo
        extrn   foo:near
        endif
        endif
        call    foo
;= e80000
        extrn   t:byte
two     struc
f1      dw      ?
f2      dw      ?
two     ends
        mov     [bx.si], di
;= 8938
        mov     [bx.si.2], es
;= 8c4002
        mov     ax, [bx.si.f2]
;= 8b4002
        mov     dl, cs:[bx].t[2]
;= 2e8a970200
main3:  lea     di, (main3+si)
;= 8dbc1600
        cmp     [si], byte ptr 5
;= 803c05
        and     es:[di], byte ptr 7Fh
;= 2680257f
        add     [si], word ptr 5
;= 81040500
leave   proc    near
        ret
;= c3
leave   endp
        call    leave
;= e8fcff
code    ends
        end
;---
; Names that MASM leaves free.
        .386
        .model  flat
arg     equ     <nop>
        .data
display dw      0B000h
;= 00b0
option  db      1
;= 01
for     dd      1
;= 01000000
while   dw      2
;= 0200
        .code
        arg
;= 90
        mov     ax, display
;= 66a100204000
        mov     al, option
;= a002204000
        option  scoped, proc:private
        end
;---
; A structure that has its own size as a field, values in lines of their own, and a union without a name.
VxD_Desc_Block STRUC
DDB_Next DD     ?
DDB_Size DD     SIZE(VxD_Desc_Block)
VxD_Desc_Block ENDS
S2      struct
u0      db      1
        union
b       dw      ?
bb      dd      7
        ends
c       db      3
S2      ends
        .386
        .model  flat
        .data
x       VxD_Desc_Block <>
;= 0000000008000000
y       VxD_Desc_Block {
;= 0500000006000000
  5, 6 }
z       S2      <5,<6>,8>
;= 050600000008
w       S2      <5,6>
;= 050600000003
p       equ     @InStr( ,<abcd>,<d>)
        db      p
;= 04
        end
;---
; A type that points to a structure says whose field is meant.
        .386
        .model  flat
R1      struct
x       dd      ?
y       dd      ?
R1      ends
R2      struct
y       dd      ?
R2      ends
P1      typedef ptr R1
        .code
        assume  esi:P1
        mov     eax, [esi].y
;= 8b4604
        end
;---
; Pointers to code of the other size.
        .386
c16     segment use16
        call    far32 ptr [bx]
;= 66ff1f
        jmp     far32 ptr [bx]
;= 66ff2f
        call    near32 ptr [bx]
;= 66ff17
        jmp     near32 ptr [bx]
;= 66ff27
        call    near16 ptr [bx]
;= ff17
        call    far16 ptr [bx]
;= ff1f
c16     ends
c32     segment use32
        jmp     far16 ptr [ebx]
;= 66ff2b
        jmp     near16 ptr [ebx]
;= 66ff23
        call    far16 ptr [ebx]
;= 66ff1b
        call    far32 ptr [ebx]
;= ff1b
        call    near32 ptr [ebx]
;= ff13
        assume  ds:c32
x       dd      ?
;= 00000000
        call    far16 ptr x
;= 66ff1d0d000000
c32     ends
        end
;---
; Text macros joined by `&` in a line that begins with `%`.
te1     equ     <4>
te2     equ     <3>
        .386
        .model  flat
        .code
        % mov eax, te1&te2
;= b82b000000
        % mov eax, &te1&te2
;= b82b000000
        % mov eax, &te1&te2&
;= b82b000000
        % mov eax, &te1&&te2&
;= b82b000000
        % mov eax, te1
;= b804000000
        end
;---
; MASM computes with 32 bits: 0FFFFFFFEh is -2.
        .386
code    segment use16
        and     ax, 0FFFFFFFEh
;= 83e0fe
        add     sp, 0FFFFFFF0h
;= 83c4f0
        mov     al, 0FFFFFFFFh
;= b0ff
        mov     ax, 0FFFF3FFFh
;= b8ff3f
        dw      0FFFFFFF0h
;= f0ff
        db      0FFFFFFFEh
;= fe
        mov     eax, 0FFFFFFFEh
;= 66b8feffffff
        push    -40000
;= 6668c063ffff
        push    40000
;= 68409c
        mov     ax, 0FFFE0000h
;! 0FFFE0000h | 4294836224 does not fit in 16 bits
code    ends
        end
;---
; Code of 32 bits beside a 16-bit segment, in a module that does not say where the program starts.
        .386
DATA16  segment use16 public 'DATA'
x       dw      1
;= 0100
DATA16  ends
CODE32  segment use32 public 'CODE'
        assume  cs:CODE32
        mov     eax, 1
;= b801000000
CODE32  ends
        end
;---
; What is computed from distances is a number, also with a label that comes later.
        .model  tiny
        .code
        org     100h
start:  jmp     init
;= eb01
isr:    iret
;= cf
init:   mov     dx, (offset last-offset start+10Fh) shr 4
;= ba1100
        mov     cx, (init-isr)*2
;= b90200
        dw      (last-start)/2, (last-isr) and 0FFFEh
;= 08000e00
        db      low (last-start)
;= 10
        int     27h
;= cd27
last:
        end     start
;---
; A prototype whose language stands before a parameter without a name.
        .386
        .model  flat, stdcall
sum     proto   c :dword, :vararg
        .code
        invoke  sum, 1, 2
;= 6a026a01e80000000083c408
        end
;---
; A type that an operator finds, names of a segment and a group before they are defined, and padding.
code    segment
here    dw      1
;= 0100
        assume  cs:code, ds:data
        mov     (type here) ptr [bx], 5
;= c7070500
        mov     bx, offset data:count
;= bb0200
        mov     ax, offset dgroup:count
;= b80200
        npad    1
;= 90
        npad    5
;= 0500000000
        npad    12
;= eb0a8da424000000008d4900
code    ends
data    segment
        dw      0
;= 0000
count   dw      7
;= 0700
data    ends
dgroup  group   data
        extrn   "C", printf:near, stdin_:byte
        end
