; What the assembler makes for a processor without the instructions of later ones.
; The 8086, which is meant until another processor is named, with its coprocessor.
code    segment
        assume  cs:code
        je      far1
;= 7503e9c800
        db      200 dup (90h)
;= 200 bytes, 899f7765
far1:   fld     dword ptr [bx]
;= 9bd907
        fst     st(1)
;= 9bddd1
        fstsw   ax
;= 9bdfe0
        finit
;= 9bdbe3
        fninit
;= dbe3
        fnstsw  ax
;= dfe0
        fld     es:value[bx]
;= 9b26d9870401
        fwait
;= 9b
f1      proc    c a:word
        local   b:word
        mov     ax, a
;= 558bec83ec028b4604
        ret
;= 8be55dc3
f1      endp
f2      proc    c a:word
        mov     ax, a
;= 558bec8b4604
        ret
;= 5dc3
f2      endp
        jne     far1
;= 75d2
        jne     near ptr far1
;= 7403e9cdff
        shl     dx, 1
;= d1e2
        shl     dx, cl
;= d3e2
value   dd      1.0
;= 0000803f
        .186
        fld1
;= 9bd9e8
        push    5
;= 6a05
        shl     dx, 4
;= c1e204
f3      proc    c a:word
        mov     ax, a
;= 558bec8b4604
        ret
;= c9c3
f3      endp
        .286
        fld1
;= d9e8
        jne     far1
;= 75b1
        .8087
        fld1
;= 9bd9e8
        .386
        fld1
;= d9e8
        jne     far1
;= 75aa
code    ends
        end
;---
; Flat code has the 32-bit forms whatever is named.
        .model  flat, c
        .code
        fld1
;= d9e8
f1      proc    a:dword
        mov     eax, a
;= 558bec8b4508
        ret
;= c9c3
f1      endp
        end
;---
; @Cpu has the bits of the processor that is named last, and of the 8086 before any is named.
        .model  small
        .code
        dw      @Cpu
;= 0101
        .186
        dw      @Cpu
;= 0301
if      @Cpu and 4
        .err    this is no 80286
endif
        .286
        dw      @Cpu
;= 0705
        .286p
        dw      @cpu
;= 8705
        .386
        dw      @Cpu
;= 0f0d
ifdef   @Cpu
        .radix  16
        dw      @Cpu
;= 0f0d
        .radix  10
endif
        .486p
        dw      @Cpu
;= 9f0d
        .586
        dw      @Cpu
;= 3f0d
        p386
        dw      @Cpu
;= 8f0d
        p386n
        dw      @Cpu
;= 0f0d
        p8086
        dw      @Cpu
;= 0101
        end
;---
        .386
        .model  flat
        .code
        dd      @Cpu
;= 0f0d0000
        end
