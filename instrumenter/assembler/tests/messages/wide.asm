; 16-bit programs: one message each.
;---
        .model  small
        .stack  100h
        .data
message db      'Hello$'
        .code
start:  mov     ax, @data
        mov     ds, ax
        mov     dx, offset message
        mov     ah, 9
        int     21h
        mov     ax, 4C00h
        int     21h
        end     start
;---
        .386
        .model  small
;! small | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `.model small` before `.386`, which otherwise makes segments of 32 bits
        .data
message db      'Hello$'
        .code
start:  mov     ax, @data
        mov     ds, ax
        mov     dx, offset message
        end     start
;---
        .model  tiny
        .code
        org     100h
start:  mov     dx, offset message
        ret
message db      'Hello$'
        end     start
;---
cseg    segment
        assume  cs:cseg, ds:cseg
        org     100h
start:  mov     dx, offset message
        ret
message db      'Hello$'
cseg    ends
        end     start
;---
cseg    segment use16
        assume  cs:cseg
start:  mov     dx, offset start
        ret
cseg    ends
        end     start
;---
dseg    segment
message db      'Hello$'
dseg    ends
cseg    segment
        assume  cs:cseg, ds:dseg
start:  mov     ax, dseg
        mov     ds, ax
        mov     dx, offset message
cseg    ends
        end     start
;---
        .data
message db      'Hello$'
        .code
start:  mov     ax, seg message
        mov     ds, ax
        mov     dx, offset message
;! offset message | the offset of `message` has 32 bits and does not fit in 16 bits
;!   = use `edx`
        end     start
;---
        .386
        .model  flat
        .code
        org     100h
start:  ret
        end     start
;---
