; Constructs of published sources for TASM.
; Without a language the first argument is nearest to the top of the stack.
        .model  small
        .code
p1      proc    near
        arg     a:word, b:word
        mov     ax, a
;= 8b4604
        mov     bx, b
;= 8b5e06
p1      endp
p2      proc    far
        arg     a:word, b:dword = bytes
        mov     ax, a
;= 8b4606
        les     bx, b
;= c45e08
        ret     bytes
;= ca0600
p2      endp
p3      proc    pascal near
        arg     a:word, b:word
        mov     ax, a
;= 558bec8b4606
        mov     bx, b
;= 8b5e04
        ret
;= 5dc20400
p3      endp
        end
;---
; A far branch back to the first label of its own segment.
code    segment
        assume  cs:code
first:  mov     ax, 4C07h
;= b8074c
f       proc    far
        ret
;= cb
f       endp
        jmp     far ptr first
;= ea00001010
        call    far ptr first
;= 9a00001010
        call    f
;= 0ee8f1ff
        jmp     f
;= ebef
        dd      first
;= 00001010
code    ends
        end     first
;---
; Local names of texts are known up to the end of their procedure.
        locals
        .model  small
        .code
p1      proc
@@n     equ     word ptr [bp+4]
@@r     equ     <bx>
        mov     ax, @@n
;= 8b4604
l1:     mov     @@r, @@n
;= 8b5e04
@@m:    jmp     @@m
;= ebfe
p1      endp
p2      proc
@@n     equ     cx
        mov     ax, @@n
;= 8bc1
@@k     equ     5
        mov     ax, @@k
;= b80500
p2      endp
p3      proc
@@n:    jmp     @@n
;= ebfe
p3      endp
        end
;---
; Fields of fields of a register.
        .386
        .model  flat
hq      struc
lo1     dd      ?
hi1     dd      ?
hq      ends
stt     struc
stz     hq      <>
stt     ends
        .code
        mov     ecx, [esi.stz.hi1]
;= 8b4e04
        mov     ecx, [esi.stz.hi1+4]
;= 8b4e08
        mov     ecx, [esi+ebx*4].stz.hi1
;= 8b4c9e04
        end
;---
; Blanks between the arguments of macros.
        .model  small
move    macro   to, from
        mov     to, from
        endm
one     macro   text, more
        db      "&text&", "more"
        endm
        .code
        move    ax bx
;= 8bc3
        move    <cx> <2>
;= b90200
        move    <dx> 2
;= ba0200
        move    byte ptr [bx], 5
;= c60705
        move    ax, word ptr [bx]
;= 8b07
        one     mov ax
;= 6d6f762061786d6f7265
        option  oldmacros
        one     mov ax
;= 6d6f766d6f7265
        end
;---
; Procedures that are declared before they are called.
        ideal
        p386
        model   flat, stdcall
        codeseg
procdesc WriteIt pascal :dword, :dword
        call    WriteIt, eax, ebx
;= 5053e800000000
        masm
ReadIt  procdesc c :dword
        call    ReadIt, ecx
;= 51e80000000083c404
        end
;---
; Memory of the size of the register.
        .386p
code    segment use32
        assume  cs:code, ds:code
x       dd      0
;= 00000000
        lsl     edx, x
;= 0f031500104000
        lar     edx, dword ptr [esi]
;= 0f0216
        lsl     eax, ebx
;= 0f03c3
        lar     ax, word ptr [esi]
;= 660f0206
code    ends
        end
;---
; Conditions that ask for labels and numbers that come later.
        .model  small
        .code
here:   if      here eq a1
        dec     si
        endif
        if      a1 eq b1
        dec     di
;= 4f
        endif
a1:
b1:     ret
;= c3
        ife     later
        db      1
        elseif  later eq 2
        db      2
;= 02
        else
        db      3
        endif
later   =       2
        end
;---
; A program in one segment has 16-bit code, whatever processor is named first.
        .386
        .model  tiny
;! tiny | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `.model tiny` before `.386`, which otherwise makes segments of 32 bits
        .code
        org     100h
start:  mov     ax, 13h
;= b81300
        int     10h
;= cd10
        ret
;= c3
        end     start
