; macros in the manner of Windows' cmacros
        .xlist
memS    equ     1
?win    =       1
?pc     =       0
?mf     =       0
?chkstk =       0
if1
%out    cMacros
endif
outif   macro   name,defval,onmsg,offmsg
ifndef name
name    =       defval
endif
if name
ifnb <onmsg>
if1
%out    ! onmsg
endif
endif
else
ifnb <offmsg>
if1
%out    ! &offmsg
endif
endif
endif
endm
outif   ?debug,0,<debug code on>
outif   ?plm,1,,<no pl/m calling>
addseg  macro   grp,seg
seg&OFFSET equ offset grp:
ifndef grp&_def
grp&_def = 0
endif
if grp&_def
grp&_add macro s
        grp&_in <seg>,s
        endm
else
grp&_def = 1
grp&_in macro sl,s
ifb <s>
grp     group   sl
else
grp&_add macro ns
        grp&_in <sl,s>,ns
        endm
endif
        endm
grp&_add macro s
        grp&_in <seg>,s
        endm
endif
endm
createSeg macro n,ln,a,co,cl,grp
n       segment a co '&cl'
n       ends
ifnb <grp>
        addseg  grp,n
else
ln&OFFSET equ offset n:
endif
ln&_assumes macro s
        assume  s: n
        endm
ln&_sbegin macro
n       segment
        endm
?CURSEG_&ln = 0
endm
assumes macro   s,ln
ifdef ln&_assumes
        ln&_assumes s
else
        assume  s:ln
endif
endm
sBegin  macro   seg
?cs     equ     <seg>
        seg&_sbegin
endm
sEnd    macro   seg
        seg_end %?cs0
endm
?cs0    =       0
defA    macro   nam,size
        irp     n,<nam>
&&n     d&size  ?
        public  &&n
        endm
endm
        createSeg _TEXT,Code,word,public,CODE
        createSeg _DATA,Data,word,public,DATA
defB    macro   n
n       label   byte
        db      ?
endm
externFP macro  n
        irp     x,<n>
        extrn   x:far
        endm
endm
externW macro   n
        irp     x,<n>
        extrn   _&&x:word
        endm
endm
?po     =       0
?lo     =       0
?ap     =       0
parmW   macro   n
        irp     x,<n>
        ?ap     = ?ap+2
        mkparm  x,%(?po+?ap-2+4),<word ptr>
        endm
endm
mkparm  macro   n,off,t
n       equ     t [bp][off]
endm
localW  macro   n
        irp     x,<n>
?lo     =       ?lo+2
        mkloc   x,%?lo,<word ptr>
        endm
endm
mkloc   macro   n,off,t
n       equ     t [bp]-off
endm
cProc   macro   n,cf,a
?pn     equ     <n>
?ap     =       0
?lo     =       0
?pu     =       0
?fa     =       0
        irp     x,<cf>
        ifidn   <x>,<FAR>
?fa     =       1
        endif
        ifidn   <x>,<PUBLIC>
?pu     =       1
        endif
        endm
?po     =       ?fa*2
if ?pu
        public  _&n
endif
n&_regs macro   op
        irp     r,<a>
        ifnb    <r>
        op      &&r
        endif
        endm
        endm
cBegin  macro   g
if ?fa
_&n     proc    far
else
_&n     proc    near
endif
        push    bp
        mov     bp,sp
if ?lo
        sub     sp,?lo
endif
        n&_regs push
        endm
cEnd    macro   g
        n&_regs pop
        mov     sp,bp
        pop     bp
        ret
_&n     endp
        purge   n&_regs,cBegin,cEnd
        endm
endm
        externFP <GlobalAlloc,GlobalFree>
        externW <errno>
_DATA   segment
        defA    <v1,v2>,w
;= 00000000
        defB    flag
;= 00
_DATA   ends
        sBegin  Code
        assumes cs,Code
        assumes ds,Data
        cProc   Foo,<FAR,PUBLIC>,<si,di>
        parmW   a1
        parmW   <b1,c1>
        localW  <t1,t2>
        cBegin
;= 558bec83ec045657
        mov     ax,a1
;= 8b4606
        add     ax,c1
;= 03460a
        mov     t2,ax
;= 8946fc
        mov     bx,DataOFFSET v1
;= bb0c00
        call    GlobalAlloc
;= 9a00000000
        mov     ax,_errno
;= a10000
        cEnd
;= 5e5f8be55dcb
        cProc   Bar,<NEAR>
        cBegin  nogen
;= 558bec
        mov     ax,v2
;= a10e00
        cEnd
;= 8be55dc3
_TEXT   ends
        end
