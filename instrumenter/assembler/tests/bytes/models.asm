; A processor before the memory model makes segments of 32 bits, unless only those of 16 bits fit the program.
        .386
        .model  small
;! small | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `.model small` before `.386`, which otherwise makes segments of 32 bits
        .data
message db      'Hello$'
;= 48656c6c6f24
        .code
start:  mov     ax, @data
;= b81110
        mov     ds, ax
;= 8ed8
        mov     dx, offset message
;= ba0000
        mov     ah, 9
;= b409
        int     21h
;= cd21
        end     start
;---
        .386
        .model  small
;! small | warning: memory model ignored: the program is assembled and run as flat 32-bit code
;!   = write `.model flat`, or `.model small` before `.386` for 16-bit segments
        .data
message db      'Hello$'
;= 48656c6c6f24
        .code
start:  mov     eax, offset message
;= b800204000
        ret
;= c3
        end     start
;---
; Two structures with a field of the same name, told apart by what a register points to.
        .386
        .model  flat
point   struct
x       dd      ?
y       dd      ?
point   ends
box     struct
w       dw      ?
y       dw      ?
box     ends
        .code
        assume  esi:ptr point, edi:ptr box
start:  mov     eax, [esi].y
;= 8b4604
        mov     ax, [edi].y
;= 668b4702
        mov     eax, [esi+8].y
;= 8b460c
        assume  esi:nothing, edi:nothing
        mov     ax, [edi].y
;= 668b4702
;! . | warning: several structures have a field `y`: the one of the last structure is meant here
;!   = write the structure before the field: `[bx].structure.y`
        mov     ax, [edi].w
;= 668b07
        mov     eax, [esi].point.y
;= 8b4604
        end     start
;---
        .model  unknown, c
;! unknown | unknown memory model `unknown`
;!   = write `flat`, or one of tiny, small, compact, medium, large, huge
        end
;---
        .model  tpascal
        .code
f       proc    near a:word
        mov     ax, a
;= 558bec8b4604
        ret
;= 5dc20200
f       endp
        end
