; Types, procedures and blocks of MASM 6.
        .386
        .model flat, stdcall
        option casemap:none, dotname, scoped
        option nokeyword:<width>
        include1 equ <x>
pt      struct
x       sdword ?
y       sdword ?
pt      ends
rc      struct 4, nonunique
tl      pt <>
br      pt <>
        union
a1      dword ?
b1      byte 4 dup (?)
        ends
        struct
c1      word ?
        ends
rc      ends
fn_t    typedef proto :dword, :ptr byte
pfn_t   typedef ptr fn_t
lp      typedef ptr
ppt     typedef ptr pt
byte2   typedef byte
flags   record f1:1, f2:7
f       proto c a:dword, b:vararg
g       proto stdcall :dword
h       proto syscall
ext     proto near32 stdcall :dword
externdef v_ext:dword, p_ext:ptr pt, f_ext:near, q_ext:proto c :dword
extern c x_ext:byte
public  _start
.data
r       rc <<1,2>,<3,4>,<5>>
;= 010000000200000003000000040000000500000000000000
rr      rc 3 dup (<>)
;= 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
p       ppt offset r
;= 00204000
pf      pfn_t g
;= 00000000
b2      byte2 5
;= 05
fl      flags <1,5>
;= 85
s       sbyte -5
;= fb
s1      db 'abc', 0
;= 61626300
q       qword 123456789abcdef0h
;= f0debc9a78563412
d       real8 1.5
;= 000000000000f83f
fw      fword ?
;= 000000000000
arr     dword 10 dup (0)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000
arr2    dword lengthof arr dup (sizeof arr)
;= 28000000280000002800000028000000280000002800000028000000280000002800000028000000
n       equ lengthof arr
m       = n * 2
ptrs    dword s1, offset s1, arr + 4, arr[8]
;= 6b2040006b204000892040008d204000
        dd $ - arr
;= 60000000
        align 16
;= 00000000000000
.data?
u       byte 100 dup (?)
;= 100 bytes, dc4ec4e5
.const
k       dword 5
;= 05000000
.code
_start:
        mov eax, r.tl.x
;= a100204000
        mov eax, r.br.y
;= a10c204000
        mov eax, r.a1
;= a110204000
        mov al, r.b1[2]
;= a012204000
        mov esi, offset rr
;= be18204000
        mov eax, [esi].rc.br.x
;= 8b4608
        mov eax, (rc ptr [esi]).br.x
;= 8b4608
        mov eax, rc.br.x[esi]
;= 8b4608
        mov eax, rr[ecx].br.x
;= 8b8120204000
        mov eax, rr[sizeof rc].tl.y
;= a134204000
        assume esi:ptr rc
        mov eax, [esi].br.x
;= 8b4608
        mov eax, [esi].rc.br.x
;= 8b4608
        lea edi, [esi].br
;= 8d7e08
        assume edi:ptr pt
        mov eax, [edi].y
;= 8b4704
        assume esi:nothing, edi:nothing
        invoke f, 1, 2, 3
;= 6a036a026a01e80000000083c40c
        invoke f, ecx, offset s1, addr arr, arr[4], b2
;= 0fb6056820400050ff35892040006885204000686b20400051e80000000083c414
        invoke g, [esi].pt.x
;= ff36e800000000
        invoke g, addr r.br
;= 6808204000e800000000
        invoke h
;= e800000000
        invoke pfn_t ptr [eax], 1, addr s1
;= 686b2040006a01ff10
        invoke pf, 1
;= 6a01ff1564204000
        call pf
;= ff1564204000
        call [pf]
;= ff1564204000
        call pfn_t ptr [eax]
;= ff10
        jmp [ptrs+ecx*4]
;= ff248dd5204000
        .if eax == offset s1 && sdword ptr ebx > -1
;= 3d6b204000750583fbff7e00
        .endif
        .if s < 0
;= 803d6a204000007d00
        .endif
        .while ecx && !(edx & 80000000h)
;= eb05
        dec ecx
;= 49
        .continue .if zero?
;= 7402
        .break
;= eb0c
        .endw
;= 0bc97408f7c20000008074ef
        .repeat
        inc eax
;= 40
        .until eax >= 10 || carry?
;= 83f80a730273f8
        movzx eax, b2
;= 0fb60568204000
        mov ax, word ptr q[2]
;= 66a171204000
        fld d
;= dd0577204000
        fstp q
;= dd1d6f204000
        mov eax, type rc
;= b818000000
        mov eax, sizeof r
;= b818000000
        mov eax, opattr r
;= b82a000000
        mov eax, .type r
;= b82a000000
        mov eax, mask f2
;= b87f000000
        mov eax, width f2
;= b807000000
        mov eax, lengthof s1
;= b804000000
        mov eax, highword 12345678h
;= b834120000
        mov al, high 1234h
;= b012
        push dword ptr 5
;= 6805000000
        pushd 5
;= 6a05
        pushw 5
;= 666a05
        xchg eax, [esi]
;= 8706
@@:     jmp @F
;= eb02
        jmp @B
;= ebfc
@@:
        ret
;= c3
lbl::   nop
;= 90
func    proc private uses esi edi, a:dword, b:ptr pt, cc:byte
        local x:dword, y:pt, z[10]:byte, w:ppt
        mov eax, a
;= 558bec83ec1c56578b4508
        mov esi, b
;= 8b750c
        mov al, cc
;= 8a4510
        mov x, eax
;= 8945fc
        mov y.x, eax
;= 8945f4
        lea eax, z
;= 8d45ea
        lea eax, z[5]
;= 8d45ef
        mov w, esi
;= 8975e4
        mov eax, [ebp+8]
;= 8b4508
        invoke func, a, addr y, cc
;= 0fb64510508d45f450ff7508e8ccffffff
        .if x
;= 837dfc007406
        ret
;= 5f5ec9c20c00
        .endif
        ret
;= 5f5ec9c20c00
func    endp
mac     macro a:req, b:=<5>, c:vararg
        local l
        mov eax, a
        ifnb <c>
        for i, <c>
        push i
        endm
        endif
l:      exitm <eax>
        endm
        mov ebx, mac(5)
;= 8bd8b805000000
        mac 1, 2, 3, 4
;= b8010000006a036a04
tm      textequ <dword ptr>
        mov tm [eax], 5
;= c70005000000
        mov eax, @InStr(1, <abc>, <b>)
;= b802000000
        echo done
        .errnz sizeof pt - 8
        .erre n
        ifdef foo
        .err <bad>
        endif
        end _start
;---
; Macros that make the code of frames.
        .386
        .model  flat, c
enters  macro   name, flags, arguments, locals, registers, given
        push    ebp
        mov     ebp, esp
        if      locals
        sub     esp, locals
        endif
        for     register, <registers>
        push    register
        endm
        mov     dl, flags
        mov     dh, arguments
        ifnb    <given>
        mov     bl, given
        endif
        exitm   %locals
        endm
leaves  macro   name, flags, arguments, locals, registers, given
        for     register, <registers>
        pop     register
        endm
        leave
        if      flags and 10h
        ret
        else
        ret     arguments
        endif
        endm
        option  prologue:enters, epilogue:leaves
        .code
first   proc    uses esi edi, a:dword
        local   z:dword
around: mov     eax, a
;= 558bec83ec045657b211b6048b4508
        jmp     around
;= ebfb
        ret
;= 5f5ec9c3
first   endp
second  proc    stdcall <5> a:dword
        invoke  first, a
;= 558becb203b604b305ff7508e8daffffff83c404
        ret
;= c9c20400
second  endp
third   proc
        .if     eax == 1
;= 558becb211b60083f8017501
        nop
;= 90
        .endif
        ret
;= c9c3
third   endp
        option  prologue:missing
fourth  proc
;! fourth | undefined macro `missing`
        nop
fourth  endp
        option  prologue:none, epilogue:none
fifth   proc    a:dword
        mov     eax, a
;= 8b4508
        ret
;= c3
fifth   endp
        option  prologue:PrologueDef, epilogue:EpilogueDef
sixth   proc    a:dword
        mov     eax, a
;= 558bec8b4508
        ret
;= c9c3
sixth   endp
        end
;---
; Other names for instructions and registers.
        .386
        .model  flat, c
        option  renamekeyword:<mov>=move, renamekeyword:<eax>=acc
        option  renamekeyword:<ret>=back, renamekeyword:<jmp>=go
mov     macro   to, from
        move    to, from
        endm
        .code
f       proc    a:dword
        move    acc, a
;= 558bec8b4508
        mov     ebx, 5
;= bb05000000
        go      f
;= ebf3
        back
;= c9c3
f       endp
        option  renamekeyword:<segment>=part
;! renamekeyword | `segment` is no instruction or register: other words keep their names
        option  renamekeyword:mov
;! renamekeyword | expected a word and its new name
;!   = write `renamekeyword:<old>=new`
        end
;---
; What the macro at the start of a procedure declares does not begin it again.
        .386
        .model  flat, c
again   macro   name, flags, arguments, locals, registers, given
        uses    ebx
        local   late:dword
        push    esi
        push    edi
        endm
        option  prologue:again
        .code
f       proc
        nop
;= 565790
        nop
;= 90
f       endp
        end
;---
; Words that only concern other tools, and names that TASM and MASM know.
        .386
        .model  flat
        .data
v       dw      5
;= 0500
        .code
start:  mov     eax, lroffset v
;= b800204000
        mov     al, opattr v
;= b02a
        mov     al, @32bit
;= b001
        .fpo    (1, 2, 3, 0, 0, 0)
        .safeseh start
        end     start
