; An address is named, never told as a number: before linking its number means nothing.
.386
.model flat
.data
m       dd      5
n       dd      6
flag    db      3
.code
start:
;---
        mov     dx, offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = use `edx`
        mov     dl, offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 8 bits
;!   = use `edx`
        mov     ah, offset m + 1
;! offset m + 1 | the offset of `m` has 32 bits and does not fit in 8 bits
;!   = use `eax`
        mov     word ptr [eax], offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = write `dword ptr`
        mov     cx, offset start
;! offset start | the offset of `start` has 32 bits and does not fit in 16 bits
;!   = use `ecx`
        mov     ax, -offset m
;! -offset m | a number computed from the address of `m` does not fit in 16 bits
        mov     al, (offset m) shr 8
;! offset m) shr 8 | a number computed from the address of `m` does not fit in 8 bits
        push    word ptr offset m
;---
        mov     eax, [bx+m]
;! [bx+m | the offset of `m` has 32 bits and does not fit in an address of 16 bits
;!   = use `ebx`
        mov     eax, [si+offset m]
;! [si+offset m | the offset of `m` has 32 bits and does not fit in an address of 16 bits
;!   = use `esi`
        shl     eax, offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 8 bits
        int     offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 8 bits
        out     offset m, al
;! offset m | the offset of `m` has 32 bits and does not fit in 8 bits
        ret     offset m
;! offset m | the offset of `m` has 32 bits and does not fit in 16 bits
        enter   offset m, 0
;! offset m | the offset of `m` has 32 bits and does not fit in 16 bits
;---
        dw      m
;! m | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = define it with `dd`
        dw      offset m + 1
;! offset | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = define it with `dd`
        db      offset m
;! offset | the offset of `m` has 32 bits and does not fit in 8 bits
;!   = define it with `dd`
        db      5 dup (offset m)
;! offset | the offset of `m` has 32 bits and does not fit in 8 bits
;!   = define it with `dd`
        dd      offset m
        dq      offset m
        dd      m + n
;! + | cannot add two addresses
;!   = subtract them to get their distance
        db      m - n
;---
; Names for addresses.
here    =       $
where   =       offset m
place   equ     offset m + 1
        mov     eax, here
        mov     eax, where
        mov     ax, where
;! where | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = use `eax`
        mov     ax, place
;! place | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = use `eax`
        dw      where
;! where | the offset of `m` has 32 bits and does not fit in 16 bits
;!   = define it with `dd`
        db      place
;! place | the offset of `m` has 32 bits and does not fit in 8 bits
;!   = define it with `dd`
        mov     cl, $ - here
;---
; Numbers that are needed at once.
show    macro   value
        mov     eax, value
        endm
        show    %offset m
;! show | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        .errnz  offset m
;! offset m | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        .errnz  m - n + 4
        .errnz  start - m
;! start - m | the distance of `start` and `m` is not known here
;!   = they are in different segments, which are placed after the last line is read
        if      offset m
;! offset m | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        endif
        if      m gt n
        endif
        if      start gt n
;! start gt n | the distance of `start` and `n` is not known here
;!   = they are in different segments, which are placed after the last line is read
        endif
        rept    offset m
;! offset m | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        endm
        align   offset m
;! offset m | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        org     offset m
;! offset | the address of `m` is not in this segment
;!   = an origin is a distance from the start of the segment
        org     start - m
;! start | the address of `start` is not in this segment
;!   = an origin is a distance from the start of the segment
        db      offset m dup (0)
;! offset | the repeat count must be known at this point
apart   =       start - m
;! start - m | the distance of `start` and `m` is not known here
;!   = they are in different segments, which are placed after the last line is read
;---
text    catstr  <a>, %offset m
;! text | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
;---
        if      offset m gt 70000000
;! offset | the address of `m` is not known here
;!   = addresses are assigned after the last line is read; a distance is known within a segment
        endif
;---
; Distances of segments fit once they are known.
        mov     ax, start - m
        mov     ax, m - start
        dw      m - start
        mov     al, start - m
;! start - m | a number computed from the address of `start` does not fit in 8 bits
;---
