; structured macros and naming layers in the way of compiler run-time sources
_TRUE   equ 1
_MODEL  equ 0020h
_SMALL  equ 0
_BIG_CODE equ 0
__f     equ 1
modstart macro  modname,alignment,segsize
        name    modname
        ifb     <alignment>
_TEXT   segment word public 'CODE'
        else
        ifb     <segsize>
_TEXT   segment alignment public 'CODE'
        else
_TEXT   segment alignment public segsize 'CODE'
        endif
        endif
        assume  cs:_TEXT
        endm
endmod  macro
_TEXT   ends
        end
        endm
defp    macro   dproc
        if      _BIG_CODE
dproc   proc    far
        else
dproc   proc    near
        endif
        endm
defpe   macro   dproc
        defp    dproc
        public  "C",dproc
        endm
xdefp   macro   xproc
        public  xproc
        endm
endproc macro   eproc
eproc   endp
        endm
defn    macro   dname
dname:
        endm
xred    macro   rname,rtype
        extrn   rname:rtype
        endm
docall  macro   nam
        if      _BIG_CODE
        call    far ptr nam
        else
        call    near ptr nam
        endif
        endm
; structured code
_sb = 0
_lb = 0
_mklab  macro   p,n
p&n:
        endm
_mkjmp  macro   cc,p,n
        j&cc    p&n
        endm
_push   macro
_lb     = _lb+1
_s&_sb  = 0
_sb     = _sb+1
        endm
_if     macro   cc
_sb     = _sb+1
        _ifx    cc,%_sb
        endm
_ifx    macro   cc,n
        ifidn   <cc>,<e>
        jne     _else_&n
        else
        ifidn   <cc>,<c>
        jnc     _else_&n
        else
        .err
        endif
        endif
        endm
_endif  macro
        _mklab  _else_,%_sb
_sb     = _sb-1
        endm
_loop   macro
_lb     = _lb+1
        _mklab  _loop_,%_lb
        endm
_until  macro   cc
        _untl   cc,%_lb
_lb     = _lb+1
        endm
_untl   macro   cc,n
        jn&cc   _loop_&n
        endm
        .386
        modstart i4d,dword,use32
        xred    __FPE,near
        xdefp   __I4D
        xdefp   __U4D
        defp    __U4D
        or      edx,edx
;= 0bd2
        _if     e
;= 7507
          sub   eax,eax
;= 2bc0
          _loop
            shl eax,1
;= d1e0
            dec ecx
;= 49
          _until e
;= 75fb
        _endif
        docall  __FPE
;= e800000000
        ret
;= c3
        endproc __U4D
        defp    __I4D
        _if     c
;= 7304
          _if   e
;= 7502
            neg eax
;= f7d8
          _endif
        _endif
        defn    L9
        jmp     L9
;= ebfe
        endproc __I4D
_TEXT   ends
        end
