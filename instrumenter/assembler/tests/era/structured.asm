; structured-programming macros (STRUCT.INC style)
        .386p
_TEXT   segment dword use32 public 'CODE'
        assume  cs:_TEXT
_true   equ 1
?l      = 0
?d      = 0
s_not   macro   cc
        exitm
        endm
_jn     macro   cc,tgt
        irp     pr,<<e,ne>,<ne,e>,<z,nz>,<nz,z>,<c,nc>,<nc,c>,<s,ns>,<ns,s>,<g,le>,<le,g>,<l,ge>,<ge,l>,<a,be>,<be,a>,<b,ae>,<ae,b>>
        _jx     cc,tgt,pr
        endm
        endm
_jx     macro   cc,tgt,t,f
        ifidn   <cc>,<t>
        j&f     tgt
        endif
        endm
_if     macro   cc
?l      = ?l+1
?d      = ?d+1
        _sv     %?d,%?l
        _jn     cc,<?el_>
        endm
_sv     macro   d,l
?L&d    = l
        endm
_lbl    macro   p,l
p&l     label   near
        endm
_while  macro   cc
        local   top,bot
top:    _jx2    cc,bot
_wtop   equ     <top>
_wbot   equ     <bot>
        endm
_jx2    macro   cc,b
        jn&cc   b
        endm
_endwhile macro
        jmp     _wtop
_wbot:
        endm
?el_:
        _if     e
;= 75fe
        nop
;= 90
        _while  z
;= 7503
        dec     eax
;= 48
        _endwhile
;= ebfb
        _while  c
;= 7303
        inc     eax
;= 40
        _endwhile
;= ebfb
_proc   macro   n, regs:vararg
n       proc    near
        irp     r,<regs>
        push    r
        endm
_epi    macro
        _rev    regs
        ret
n       endp
        endm
        endm
_rev    macro   a,b,c,d
        ifnb    <b>
        _rev    b,c,d
        endif
        pop     a
        endm
        _proc   alpha,eax,ebx
;= 5053
        xor     eax,eax
;= 33c0
        _epi
;= 5b58c3
        _proc   beta,ecx
;= 51
        _epi
;= 59c3
; numbered text equates
name1   equ     <foo>
name2   equ     <bar>
i       = 1
        while   i le 2
@catstr(<db ">,name,%i,<",0>)
        @catstr(<db >,<">,name%i,<">)
i       = i+1
        endm
;= 6e616d6531006e616d6525696e616d6532006e616d652569
; stack frame by structure
frame   struc
sv_ebp  dd      ?
sv_ret  dd      ?
arg1    dd      ?
arg2    dw      ?
frame   ends
ebpf    equ     [ebp].frame
        mov     eax,[ebp].arg1
;= 8b4508
        mov     ax,[ebp].frame.arg2
;= 668b450c
        mov     eax,[ebp+frame.arg1]
;= 8b4508
        mov     eax,ebpf.arg1
;= 8b4508
        mov     eax,dword ptr [ebp+size frame]
;= 8b450e
        ret     (size frame)-8
;= c20600
_TEXT   ends
        end
