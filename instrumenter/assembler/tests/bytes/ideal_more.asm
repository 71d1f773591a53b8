; Constructions of TASM's IDEAL mode, and of TASM outside it.
%title "ideal test"
%newpage
%noincl
        ideal
        warn
        nowarn res

        model small,c
        p386n
        stack 200h
        smart
        quirks
        nomulterrs
        locals @@
        jumps
struc   s1
a       db ?
b       dw 5
c       dd ?
s       db 10 dup (?)
ends    s1
struc   s2
        s1x s1 <>
        y dw ?
ends
union   u1
w       dw ?
d       dd ?
ends    u1
record  r1 x1:3, y1:5
macro   mm x, y
        local q
        ifnb <y>
        mov ax,x
        else
q:      jmp q
        endif
endm    mm
macro   nn
        nop
endm
foo     equ 5
bar     = 6
baz     equ <word bx>
        dataseg
v1      db 5
;= 05
v2      dw 5
;= 0500
v3      dd 5
;= 05000000
v4      dq 1.0
;= 000000000000f03f
v5      dt ?
;= 00000000000000000000
sta     s1 <1,2,3,"abc">
;= 0102000300000061626300000000000000
stb     s1 ?
;= 0005000000000000000000000000000000
un1     u1 <5>
;= 05000000
rec1    r1 <1,2>
;= 22
arr     dw 5 dup (?)
;= 00000000000000000000
tbl     dw offset p1, p1
;= 00000000
fp      dd v1
;= 00002210
label   lb byte
label   lw word
        align 2
        evendata
        udataseg
uv      dw ?
;= 0000
        fardata
fv      db ?
;= 00
        const
cv      dw 5
;= 0500
        codeseg
        public p1, c p2
        extrn c ex1:proc, ex2:word, c ex3:far
        global gl1:proc, gl2:byte
proc    p1 near
        mov ax,[v2]
;= a10100
        mov [v2],ax
;= a30100
        mov al,[v1]
;= a00000
        mov al,[byte v2]
;= a00100
        mov al,[byte ptr v2+1]
;= a00200
        mov ax,[word v3+2]
;= a10500
        mov ax,[word ptr v3]
;= a10300
        mov bx,offset v2
;= bb0100
        mov ax,[bx]
;= 8b07
        mov [word bx],5
;= c7070500
        mov [byte ptr es:bx+5],6
;= 26c6470506
        mov ax,[es:bx+si]
;= 268b00
        mov ax,[bx+si+5]
;= 8b4005
        mov ax,[bp+di-3]
;= 8b43fd
        mov eax,[ebx+ecx*4+5]
;= 67668b448b05
        mov ax,[(s1 bx).b]
;= 8b4701
        mov ax,[(s1 ptr bx).b]
;= 8b4701
        mov ax,[sta.b]
;= a11a00
        mov al,[sta.s+3]
;= a02300
        mov al,[sta.s+bx]
;= 8a872000
        mov ax,[bx + s1.b]
;= 8b4701
        mov ax,size s1
;= b81100
        mov ax,(size s1) * 2
;= b82200
        mov cx,foo + bar
;= b90b00
        mov ax,[baz]
;= 8b07
        mm 5,6
;= b80500
        mm 5
;= ebfe
        nn
;= 90
        cmp [v1],'a'
;= 803e000061
        test [v2],8000h
;= f70601000080
        inc [v1]
;= fe060000
        inc [word ptr bx]
;= ff07
        push [v2]
;= ff360100
        push [word bx]
;= ff37
        push ax bx cx
;= 505351
        pop cx bx ax
;= 595b58
        push [v3]
;= 66ff360300
        call p2
;= 0ee82b00
        call p2 c, ax, bx
;= 53500ee8250083c404
        call p2, ax, bx
;= 53500ee81c0083c404
        call [word ptr bx]
;= ff17
        call [tbl+bx]
;= ff974a00
        call ex1
;= e80000
        call ex3 pascal, 1, 2
;= 6a016a029a00000000
        jmp @@1
;= eb00
@@1:    jz @@2
;= 7402
        loop @@1
;= e2fc
@@2:    ret
;= c3
endp    p1
proc    p2 far
        arg @@a:word, @@b:dword, @@c:byte = @@asz
        local @@x:word, @@y:byte:10, @@z:s1 = @@lsz
        uses si,di
        mov ax,[@@a]
;= 558bec83ec1e56578b4606
        les bx,[@@b]
;= c45e08
        mov al,[@@c]
;= 8a460c
        mov [@@x],ax
;= 8946fe
        lea bx,[@@y]
;= 8d5ef4
        mov [@@z.b],5
;= c746e30500
        mov ax,[ex2]
;= a10000
        mov ax,seg v1
;= b82210
        mov ax,@data
;= b82210
        mov es,ax
;= 8ec0
        assume es:nothing
        lds si,[fp]
;= c5364e00
        mov al,[lb]
;= a05200
        movzx eax,[v1]
;= 660fb6060000
        fld [v4]
;= dd060700
        fstp [v5]
;= db3e0f00
        fild [v2]
;= df060100
        shl [v1],1
;= d0260000
        mov ax,[word high v3]
;= a10500
        mov [gl2],1
;= c606000001
        ret
;= 5f5ec9cb
endp
p3:     masm
        mov ax, word ptr v3
;= a10300
        mov ax, v2
;= a10100
        ideal
        ifdef foo
        display "yes"
        elseif foo eq 5
        endif
        ife bar-6
        endif
        errif foo eq 6 "bad"
        include_ = 1
        rept 2
        nop
        endm
;= 9090
        irp x,<ax,bx>
        push x
        endm
;= 5053
        exitcode 0
;= b8004ccd21
        end p1
;---
; TASM masm mode oddities
        .386
        ideal
        masm
        locals
        .model use16 small,pascal
        jumps
        publicdll foo_p
        dataseg
v       dw 5
;= 0500
vs      db 'abc'
;= 616263
VL      = $-vs
msg     db 'x',13,10,'$'
;= 780d0a24
        const
        codeseg
foo_p   proc pascal far
arg     a:word,b:dword:2,c:byte=argsize returns r:dword
local   x:word,y:byte:16,z:dword=locsize
uses    si,di,es
        mov ax,a
;= 558bec83ec165657068b4610
        mov ax,word ptr b
;= 8b4608
        mov al,c
;= 8a4606
        mov ax,word ptr r
;= 8b4612
        mov x,ax
;= 8946fe
        mov y[3],al
;= 8846f1
        lea bx,y
;= 8d5eee
        mov word ptr z+2,dx
;= 8956ec
        ret
;= 075f5ec9ca0c00
foo_p   endp
bar     proc near
        arg aa
        push bp
;= 558bec55
        mov bp,sp
;= 8bec
        mov ax,aa
;= 8b4604
        pop bp
;= 5d
        ret 2
;= c9c20200
bar     endp
baz     proc
@@1:    dec ax
;= 48
        jnz @@1
;= 75fd
        jmp short @@2
;= eb00
@@2:    ret
;= c3
baz     endp
qux     proc near
@@1:    call baz
;= e8f7ff
        call foo_p,ax,bx,cx
;= 5053510ee8baff
        call foo_p pascal,ax,bx,cx
;= 5053510ee8b3ff
        loop @@1
;= e2ed
        push ax bx cx si di
;= 5053515657
        pop di si cx bx ax
;= 5f5e595b58
        ret
;= c3
qux     endp
        setflag v,1
;= 830e000001
        maskflag v,not 1
;= 83260000fe
        testflag v,1
;= f70600000100
        mov ax,small 5
;= b80500
        enum1 = 3
        if VL eq 3
        nop
;= 90
        endif
        ifndef __HUGE__
        endif
        ifdef __C__
        endif
        %macs
        %nolist
        %list
        %pushlctl
        %poplctl
        .data
        .code
        startupcode
;= ba1c108eda8cd32bdac1e304fa8ed203e3fb
        exitcode
;= b44ccd21
        warn pdc
        p286
        p386
        p486n
        .486
        p8086
        .8087
        emul
        noemul
        display 'hello'
        largestack
        smallstack
m1      macro x,y:rest
        mov ax,x
        irp z,<y>
        push z
        endm
        endm
        m1 5,ax,bx
;= b805005053
while_  = 3
        while while_
        nop
while_  = while_-1
        endm
;= 909090
        goto_ = 1
m2      macro n
        if n eq 0
        goto done
        endif
        nop
:done
        endm
        m2 0
        m2 1
;= 90
tname   struc
a1      dw ?
b1      db ?
tname   ends
tt      tname ?
;= 000000
tt2     tname <>
;= 000000
tt3     tname 5 dup (<1,2>)
;= 010002010002010002010002010002
        mov ax,tt.a1
;= 2ea18d00
        mov ax,[tt.a1]
;= 2ea18d00
        mov ax,tname.b1
;= b80200
        mov ax,[bx].a1
;= 8b07
        mov ax,[bx.a1]
;= 8b07
        mov ax,[(tname ptr bx).a1]
;= 8b07
        mov al,tname ptr [bx].b1
;= 8a4702
        mov ax,size tname
;= b80300
        mov ax,offset tt.b1
;= b88f00
        mov ax,offset tt3+size tname
;= b89600
        end
;---
; Operands without commas, in `push`, `pop` and in one argument of a call.
        ideal
        model small
        p286
        dataseg
buffer  db 10 dup(?)
;= 00000000000000000000
width_  dw 4
;= 0400
        codeseg
proc    draw far pascal
        arg a:word, b:dword, c:word
        ret
;= 558becc9ca0800
endp
start:
        call draw pascal,ax,es offset buffer,[width_]
;= 5006680000ff360a000ee8ecff
        push ds offset buffer
;= 1e680000
        push ax [width_] offset buffer
;= 50ff360a00680000
        push es [word bx+4]
;= 06ff7704
        pop [width_] es
;= 8f060a0007
        push [word bx][si] ds
;= ff301e
        end start
;---
; Frames for Windows and for overlays are plain ones.
        ideal
        model large,pascal
        codeseg
proc    one windows far
;! windows | warning: the code that `windows` adds to a procedure is not written: this one has a plain frame
;!   = write its first and last instructions yourself
        arg a:word
        mov ax,[a]
;= 558bec8b4606
        ret
;= 5dca0200
endp
proc    oddfar two
;! proc | warning: the code that `oddfar` adds to a procedure is not written: this one has a plain frame
;!   = write its first and last instructions yourself
        ret
;= cb
endp
        end
;---
        .model large,pascal
        .code
three   proc windows far a:word
;! windows | warning: the code that `windows` adds to a procedure is not written: this one has a plain frame
;!   = write its first and last instructions yourself
        ret
;= 558bec5dca0200
three   endp
four    proc normal far
        ret
;= cb
four    endp
        end
;---
; An address with the number of its segment is one of an offset: the instruction holds no segment.
        ideal
        model   small
        codeseg
        mov     ax, [word 0:46ch]
;= a16c04
;! mov | warning: the segment 0h of this address is not in the instruction: DS has to hold it
;!   = load it into a segment register, and write that one in its place
        mov     al, [byte 40h:17h]
;= a01700
;! mov | warning: the segment 40h of this address is not in the instruction: DS has to hold it
;!   = load it into a segment register, and write that one in its place
        mov     ax, [es:46ch]
;= 26a16c04
        call    far 0f000h:0fff0h
;= 9af0ff00f0
        p386
        mov     eax, [es:ebx*4]
;= 6766268b049d00000000
        mov     eax, [fs:ebx*4 + esi + 8]
;= 6766648b449e08
        end
