; Words that depend on where they stand, and small things of MASM 5 and TASM.
        .model  small, pascal
        .code
        mov     ax, @Line
;= b80400
        mov     ax, @Interface
;= b80400
        db      '@FileCur'
;= 4046696c65437572
%       db      '&@FileCur'
;= 746573742e61736d
twice   macro
        dw      @Line
        dw      @Line
        endm
        twice
;= 0c000c00
if @Line lt 100
        db      @Line
;= 0e
endif
point   struc
        x       dw ?
        y       dw ?
point   ends
        mov     ax, (point ptr bx).y
;= 8b4702
        mov     (point ptr si).y, 5
;= c744020500
        mov     ax, (point ptr [bx+si]).y
;= 8b4002
        esc     3, [bx]
;= 9bd81f
        esc     8, x[si]
;= 9bd904
        esc     0dh, [bp+4]
;= 9bd96e04
        esc     3fh, word ptr [di]
;= 9bdf3d
        esc     9, [bx]
;! 9 | the coprocessor has no instruction 9 on memory
;!   = write its bytes with `db`
        esc     64, [bx]
;! 64 | the number of an instruction is 0 to 63, not 64
        esc     3, ax
;! esc | `fcomp` cannot access general registers
;!   = use memory: the floating point unit reads and writes memory and its own registers
esc_    equ     27
esc     equ     27
        mov     al, esc
;= b01b
        cmp     al, ESC
;= 3c1b
        end
;---
; The start of a program for the 8086, and for later processors.
        .model  small
        .stack  100h
        .code
        .startup
;= ba12108eda8cd32bdad1e3d1e3d1e3d1e3fa8ed203e3fb
        .exit   0
;= b8004ccd21
        end
;---
        .model  small
        .286
        .stack  100h
        .code
        .startup
;= ba12108eda8cd32bdac1e304fa8ed203e3fb
        .exit
;= b44ccd21
        end
;---
; Structures that inherit.
        ideal
        model   small
        p386
struc   base
        x       dw 1
        y       db 2
ends    base
struc   point base
        z       dd 3
ends    point
struc   far_point point
        w       db 'ab'
ends    far_point
union   either
        a       dw ?
        b       db ?
ends    either
struc   wrong either
;! struc | a structure cannot inherit from a union, or a union from a structure
        c       db ?
ends    wrong
struc   again base
        x       dw ?
;! x | field is already defined in this structure
ends    again
        dataseg
p1      point   <>
;= 01000203000000
p2      far_point <5,6,7,'c'>
;= 050006070000006320
p3      point   {z=9}
;= 01000209000000
        dw      size base, size point, size far_point
;= 030007000900
        codeseg
        mov     ax, [(far_point ptr bx).x]
;= 8b07
        mov     al, [(far_point bx).w]
;= 8a4707
        mov     [p2.y], 5
;= c606090005
        mov     [p2.w], 5
;= c6060e0005
        end
;---
; Procedures that return registers, and calls in a language without arguments.
        ideal
        p386
        model   flat, c
        codeseg
proc    twice
        arg     @@n:dword returns eax
        mov     eax, [@@n]
;= 558bec8b4508
        add     eax, eax
;= 03c0
        ret
;= c9c3
endp    twice
proc    both
        arg     @@n:dword returns eax, edx
        uses    ebx
        mov     eax, [@@n]
;= 558bec538b4508
        call    twice pascal
;= e8eaffffff
        call    twice c
;= e8e5ffffff
        call    twice c, [@@n]
;= ff7508e8ddffffff83c404
        ret
;= 5bc9c3
endp    both
        end
