; 16-bit programs: one message each.
;---
        .model  small
;! small | `.model small` is for 16-bit programs, which are not simulated yet
;!   = write `.386` and `.model flat`: programs are flat and have 32 bits
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
        .data
message db      'Hello$'
        .code
start:  mov     ax, @data
;! @data | segments have no selectors: 16-bit programs are not simulated yet
;!   = remove the instructions that load segment registers: programs are flat and have 32 bits
        mov     ds, ax
        mov     dx, offset message
        end     start
;---
        .model  tiny
;! tiny | `.model tiny` is for 16-bit programs, which are not simulated yet
;!   = write `.386` and `.model flat`: programs are flat and have 32 bits
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
;! 100h | programs at 100h have 16 bits (COM files) and are not simulated yet
;!   = remove `org 100h` and write `.386` and `.model flat`: programs are flat and have 32 bits
start:  mov     dx, offset message
        ret
message db      'Hello$'
cseg    ends
        end     start
;---
cseg    segment use16
;! use16 | 16-bit segments are not simulated yet
;!   = write `use32`: programs are flat and have 32 bits
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
;! dseg | segments have no selectors: 16-bit programs are not simulated yet
;!   = remove the instructions that load segment registers: programs are flat and have 32 bits
        mov     ds, ax
        mov     dx, offset message
cseg    ends
        end     start
;---
        .data
message db      'Hello$'
        .code
start:  mov     ax, seg message
;! seg | segments have no selectors: 16-bit programs are not simulated yet
;!   = remove the instructions that load segment registers: programs are flat and have 32 bits
        mov     ds, ax
        mov     dx, offset message
        end     start
;---
        .386
        .model  flat
        .code
        org     100h
start:  ret
        end     start
;---
