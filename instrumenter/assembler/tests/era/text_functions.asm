; MASM32 style macros with the functions of text
        .386
        .model flat, stdcall
        option casemap:none
SADD    macro   quoted:VARARG
        local   v
        .data
v       db      quoted,0
        .code
        exitm   <offset v>
        endm
CTEXT   macro   y:VARARG
        local   sym
        .const
        ifidni  <y>,<>
sym     db      0
        else
sym     db      y,0
        endif
        .code
        exitm   <OFFSET sym>
        endm
chr$    macro   any_text:VARARG
        local   txtname
        .data
        align 4
        txtname db any_text,0
        align 4
        .code
        exitm   <OFFSET txtname>
        endm
switch  macro   x
        ??sw    equ <x>
        ??n     = 0
        endm
case_   macro   v:VARARG
        local   nxt, hit
        ??n     = ??n+1
        for     w, <v>
        cmp     ??sw, w
        je      hit
        endm
        jmp     nxt
hit:
        ??nx    textequ <nxt>
        endm
endcase macro
??nx:
        endm
fn      macro   f:req, args:vararg
        local   t
        t       catstr <invoke f>
        irp     p, <args>
        t       catstr t, <,p>
        endm
        t
        endm
rv      macro   f:req, args:vararg
        arg     equ <invoke f>
        for     v, <args>
        arg     catstr arg, <,v>
        endm
        arg
        exitm   <eax>
        endm
@reverse macro  lst:vararg
        local   r
        r       textequ <>
        for     x, <lst>
        r       catstr <x>, <,>, r
        endm
        r       substr r, 1, @SizeStr(%r)-1
        exitm   r
        endm
pusha_  macro   regs:vararg
%       for     x, <@reverse(regs)>
        push    x
        endm
        endm
MAKELONG macro  lo, hi
        exitm   <((hi) shl 16) or (lo)>
        endm
RGB     macro   r, g, b
        xor     eax, eax
        mov     ah, b
        shl     eax, 8
        mov     ah, g
        mov     al, r
        endm
istext  macro   s
        local   q
        q       substr <s>, 1, 1
        ifidn   q, <">
        exitm   <1>
        else
        exitm   <0>
        endif
        endm
tally   macro   s
        local   n
        n       = 0
        forc    c, <s>
        n       = n + 1
        endm
        exitm   %n
        endm
POINT   struct
x       dd ?
y       dd ?
POINT   ends
WND     struct
pt      POINT <>
union
        lParam dd ?
        struct
        lo dw ?
        hi dw ?
        ends
ends
proc_   dd ?
WND     ends
        .data
w       WND {{1,2},{3},offset main}
;= 0100000002000000030000004f104000
arr     POINT 3 dup ({1,2})
;= 010000000200000001000000020000000100000002000000
msg     db "hi",0
;= 686900
        .data?
h       dd ?
;= 00000000
        .code
show    proc uses ebx lpText:ptr byte, n:dword
        local pt:POINT, r[4]:byte
        mov ebx, lpText
;= 558bec83ec0c538b5d08
        .if n == 5 || n > 10 && !(byte ptr [ebx] == 0)
;= 837d0c05740b837d0c0a760a803b007405
            mov eax, pt.x
;= 8b45f8
        .elseif sdword ptr n < -1
;= eb0e837d0cff7d05
            inc n
;= ff450c
        .else
;= eb03
            lea eax, pt
;= 8d45f8
        .endif
        .while n
;= eb12
            dec n
;= ff4d0c
            .continue .if n & 1
;= f7450c010000007506
            .break .if n == 3
;= 837d0c037406
        .endw
;= 837d0c0075e8
        xor eax, eax
;= 33c0
        ret
;= 5bc9c20800
show    endp
main    proc
        invoke show, SADD("abc",13,10), 5
;= 6a05682b204000e8a5ffffff6162630d0a00
        invoke show, addr msg, sizeof msg
;= 6a036828204000e899ffffff
        invoke show, CTEXT(), MAKELONG(1,2)
;= 68010002006800404000e88affffff00
        fn      show, chr$("z"), eax
;= 0000007a000000506834204000e87fffffff
        mov     h, rv(show, offset msg, 3)
;= a3003040006a036828204000e873ffffff
        switch  eax
        case_   1, 2
;= 83f801740783f8027402eb01
        nop
;= 90
        endcase
        pusha_  eax, ebx, ecx
;= 515350
        RGB     1, 2, 3
;= 33c0b403c1e008b402b001
        if      istext("x")
        db      11h
;= 11
        endif
        mov     ecx, tally(hello)
;= b905000000
        mov     ax, w.lo
;= 66a108204000
        mov     eax, w.pt.y
;= a104204000
        mov     edx, arr[sizeof POINT].y
;= 8b151c204000
        lea     esi, arr[ecx*8]
;= 8d34cd10204000
        assume  esi:ptr POINT
        mov     eax, [esi].x
;= 8b06
        mov     eax, [esi+sizeof POINT].y
;= 8b460c
        assume  esi:nothing
        test    eax, ~3
;= a9fcffffff
        and     eax, not 3
;= 83e0fc
        ret
;= c3
main    endp
        end main
