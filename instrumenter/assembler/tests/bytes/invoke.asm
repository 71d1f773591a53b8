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
