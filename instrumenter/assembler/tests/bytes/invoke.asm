; `invoke` with pairs of registers, types, and without a language.
        .model  small, c
        .386
f       proto   a:dword, b:word
g       proto   near p:ptr byte
        .data
v       dd      7
;= 07000000
s       db      'text', 0
;= 7465787400
        .code
main    proc
        invoke  f, dx::ax, 5
;= 6a055250e8000083c406
        invoke  f, v, word ptr v+2
;= ff36020066ff360000e8000083c406
        invoke  f, 12345678h, bx
;= 53683412687856e8000083c406
        invoke  g, addr s
;= 8d06040050e8000083c402
        ret
;= c3
main    endp
        end
;---
        .386
        .model  flat
f       proto   :dword, :dword
        .data
v       db      1, 2
;= 0102
        .code
CStr    macro   text:vararg
        local   string
        .data
string  db      text, 0
        .code
        exitm   <offset string>
        endm
main    proc
        invoke  f, byte ptr v+1, edx
;= 520fb6050120400050e800000000
        invoke  f, CStr("hello", 13), 0
;= 6a006802204000e80000000068656c6c6f0d00
        .while  1
;= eb04
        .break  .if eax == 0
;= 0bc07402
        .endw
;= ebfa
        ret
;= c3
main    endp
        end
;---
; A register that another argument is pushed through before has lost its value.
        .386
        .model  flat, c
f       proto   :dword, :vararg
g       proto   pascal :dword, :dword
        .data
arr     dd      7
;= 07000000
small   db      7
;= 07
sv      sword   -1
;= ffff
        .code
main    proc
        invoke  f, eax, 1, addr [edx+4]
;= 8d4204506a01
;! eax | `eax` has lost its value here: `addr [edx+4]` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        invoke  f, [eax], small
;= 0fb6050420400050
;! [eax] | `eax` has lost its value here: `small` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        invoke  f, addr [ecx+eax*4], sv
;= 0fbf050520400050
;! addr [ecx+eax*4] | `eax` has lost its value here: `sv` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        invoke  f, ax, bl
;= 0fb6c350
;! ax | `ax` has lost its value here: `bl` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov cx,ax`, and write that one here
        invoke  f, ah, al
;= 0fb6c050
;! ah | `ah` has lost its value here: `al` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov cl,ah`, and write that one here
        invoke  f, dx::eax, addr [edx+4]
;= 8d4204506652
;! dx::eax | `eax` has lost its value here: `addr [edx+4]` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        invoke  g, addr [edx+4], eax
;= 8d420450
;! eax | `eax` has lost its value here: `addr [edx+4]` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        invoke  dword ptr [eax], addr [edx+4]
;= 8d420450ff1083c404
;! dword ptr [eax] | warning: `eax` has lost its value here: `addr [edx+4]` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        ; These are pushed before, or keep their value.
        invoke  f, eax, addr arr
;= 680020400050e80000000083c408
        invoke  f, addr arr, eax
;= 506800204000e80000000083c408
        invoke  f, addr [eax+4], [eax]
;= ff308d400450e80000000083c408
        invoke  f, al, al
;= 0fb6c0500fb6c050e80000000083c408
        invoke  f, al, ax, eax
;= 500fb7c0500fb6c050e80000000083c40c
        invoke  f, edx, addr arr
;= 680020400052e80000000083c408
        invoke  g, eax, addr arr
;= 506800204000e800000000
        invoke  f, sv, byte ptr sv, sbyte ptr small
;= 0fbe0504204000500fb60505204000500fbf050520400050e80000000083c40c
        ret
;= c3
main    endp
        end
;---
; Arguments of 8 and 16 bits keep their sign in 16-bit code.
        .model  small, c
        .386
f       proto   :word, :vararg
l       proto   :dword, :vararg
        .data
sb1     sbyte   -1
;= ff
sw1     sword   -1
;= ffff
b1      db      255
;= ff
w1      dw      65535
;= ffff
        .code
main    proc    p:sbyte, q:sword
        invoke  f, sb1, b1
;= 558bec0fb6060300500fbe06000050e8000083c404
        invoke  f, p, q
;= ff76060fbe460450e8000083c404
        invoke  f, sbyte ptr [bx], byte ptr sb1
;= 0fb6060000500fbe0750e8000083c404
        invoke  l, sb1
;= 660fbe0600006650e8000083c404
        invoke  l, sw1
;= 660fbf0601006650e8000083c404
        invoke  l, b1
;= 6a000fb606030050e8000083c404
        invoke  l, w1
;= 6a00ff360400e8000083c404
        invoke  l, q
;= 660fbf46066650e8000083c404
        invoke  l, al
;= 6a000fb6c050e8000083c404
        invoke  f, ax, sb1
;= 0fbe06000050
;! ax | `ax` has lost its value here: `sb1` is pushed first, by way of AX
;!   = copy it to another register before the call, as in `mov cx,ax`, and write that one here
        invoke  l, eax, sw1
;= ff3601006650e8000083c406
        invoke  l, eax, w1
;= ff3604006650e8000083c406
        invoke  f, al, al
;= 0fb6c0500fb6c050e8000083c404
        invoke  f, ah, al
;= 0fb6c050
;! ah | `ah` has lost its value here: `al` is pushed first, by way of AX
;!   = copy it to another register before the call, as in `mov cl,ah`, and write that one here
        ret
;= c9c3
main    endp
        end
;---
; Before the 386 they are extended in AX, and for a doubleword in DX.
        .8086
        .model  small, c
f       proto   :word, :vararg
l       proto   :dword, :vararg
        .data
sb1     sbyte   -1
;= ff
sw1     sword   -1
;= ffff
b1      db      255
;= ff
        .code
main    proc
        invoke  f, sb1, b1
;= a0030032e450a000009850e8000083c404
        invoke  f, bl, al
;= 32e4508ac332e450e8000083c404
        invoke  f, ah
;= 8ac432e450e8000083c402
        invoke  l, sb1
;= a0000098995250e8000083c404
        invoke  l, sw1
;= a10100995250e8000083c404
        invoke  f, ax, b1
;= a0030032e450
;! ax | `ax` has lost its value here: `b1` is pushed first, by way of AX
;!   = copy it to another register before the call, as in `mov cx,ax`, and write that one here
        invoke  f, cx, dx, ax, sb1
;= a000009850
;! ax | `ax` has lost its value here: `sb1` is pushed first, by way of AX
;!   = copy it to another register before the call, as in `mov cx,ax`, and write that one here
        invoke  f, dx, addr b1
;= 8d0603005052e8000083c404
        invoke  l, dx::cx, sw1
;= ff3601005251e8000083c406
        ret
;= c3
h       proto   pascal :dword, :word
        invoke  h, sw1, dx
;= a10100995250
;! dx | `dx` has lost its value here: `sw1` is pushed first, by way of DX
;!   = copy it to another register before the call, as in `mov cx,dx`, and write that one here
        invoke  h, sb1, bx
;= a000009899525053e80000
main    endp
        end
