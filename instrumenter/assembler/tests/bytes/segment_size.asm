; Where nothing says the size of segments but a processor named before, the code does: TASM's IDEAL mode.
        ideal
        p386n
        model   medium, c
;! medium | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `model medium` before `p386`, which otherwise makes segments of 32 bits
        dataseg
table   dw      first, second
;= 15001700
area    dd      area
;= 04001210
        codeseg
        public  pick
proc    pick
        arg     which:word, width:word
        mov     bx, [which]
;= 558bec8b5e06
        shl     [width], 1
;= d16608
        mov     ah, [byte width]
;= 8a6608
        mov     si, offset area
;= be0400
        mov     ax, [table+bx]
;= 8b870000
        jmp     ax
;= ffe0
label   first   proc
        ret
;= c9cb
label   second  proc
        mov     [word area], ax
;= a30400
        ret
;= c9cb
endp
        end
;---
; Code for 32-bit segments.
        .386
        .model  small
;! small | warning: memory model ignored: the program is assembled and run as flat 32-bit code
;!   = write `.model flat`, or `.model small` before `.386` for 16-bit segments
        .data
        extrn   _rows:dword
count   dd      0
;= 00000000
        .code
        public  draw
draw:   mov     ebp, [count]
;= 8b2d00204000
        mov     edi, [_rows+ebp*4]
;= 8b3cad00000000
        mov     al, [esi+ebx]
;= 8a0433
        mov     [edi], ax
;= 668907
        ret
;= c3
        end
;---
; Segments without a model.
        .386p
code    segment para public 'CODE'
        assume  cs:code, ds:code
        org     100h
start:  mov     dx, offset text
;= ba0a01
        mov     ah, 9
;= b409
        int     21h
;= cd21
        mov     bx, [si]
;= 8b1c
        ret
;= c3
text    db      'on$'
;= 6f6e24
code    ends
        end     start
;---
        .386p
code    segment para public 'CODE'
        assume  cs:code, ds:code
start:  mov     edx, offset text
;= ba0e104000
        mov     ebx, [esi]
;= 8b1e
        add     ebx, [text+eax]
;= 03980e104000
        ret
;= c3
text    dd      5
;= 05000000
code    ends
        end     start
