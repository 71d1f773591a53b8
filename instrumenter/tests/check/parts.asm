; expect: nothing closes this source
; Equates and a structure that others include.
LENGTH_OF_NAME equ     11
entry_         struc
name_          db      LENGTH_OF_NAME dup (?)
size_          dd      ?
entry_         ends
;---
; expect: nothing closes this source
        if      0
COLUMNS equ     40
        else
COLUMNS equ     80
        endif
;---
; expect: nothing closes this source
        extrn   screen:word
;---
; expect: nothing closes this source
saved   macro   list
        irp     one, <list>
        push    one
        endm
        endm
;---
; expect: nothing closes this source
        .data
table   dw      1, 2, 3
;---
; expect: nothing closes this source
code    segment
        assume  cs:code
length_ proc    near
        ret
length_ endp
code    ends
;---
; expect: nothing closes this source
        ideal
        model   small
        codeseg
proc    clear
        ret
endp
;---
; expect: data outside of a segment
sine    db      0, 3, 6, 9
;---
; expect: data outside of a segment
b       equ     byte ptr
header  db      10, 5
name_   db      'picture', 0
save:   mov     al, b header
        ret
        end
;---
; expect: a procedure outside of a segment
double  proc    near
        add     ax, ax
        ret
double  endp
;---
; expect: a procedure outside of a segment
        .386
double  proc
        add     eax, eax
        ret
double  endp
        end     double
;---
; expect: `begin` is public, but nothing defines it
        .model  small
        public  begin, finish
        .code
start:  ret
        end
;---
; expect: undefined symbol `columns`
        .model  small
        .code
place   proc
        mov     ax, columns
        mul     dx
        ret
place   endp
        end
;---
; expect: nothing
; Lines of code alone may be from a manual.
        mov     ax, [si]
        add     ax, 3
;---
; expect: nothing
COUNT   equ     3
next:   add     eax, [esi]
        loop    next
;---
; expect: nothing
        .model  small
        public  c begin, pair, LIMIT, total
LIMIT   equ     12
pair    equ     <begin>
        extrn   total:word
        .code
begin   proc
        ret
begin   endp
        end
;---
; expect: nothing
; A macro may end the source.
finish  macro
        end
        endm
        .model  small
        .code
        ret
        finish
;---
; expect: nothing
        org     100h
start:  mov     dx, offset text
        mov     ah, 9
        int     21h
        ret
text    db      'A program of a small assembler$'
