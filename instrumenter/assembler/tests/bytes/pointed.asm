; What a register is assumed to point to is the size of what it addresses.
        .386
        .model  flat
        .code
        assume  ebx:ptr byte, edi:ptr word
        inc     [ebx]
;= fe03
        inc     es:[ebx]
;= 26fe03
        mov     [edi+2], 5
;= 66c747020500
        mov     dword ptr [ebx], 5
;= c70305000000
        mov     al, [ebx]
;= 8a03
        lea     esi, [ebx+4]
;= 8d7304
        mov     eax, [ebx]
;! [ebx | the memory operand is a byte, but `mov` with `eax` takes a dword
;!   = use `movzx` or `movsx` to widen it; write `dword ptr ...` to read what follows it, too
        inc     [ecx]
;! [ecx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        inc     [ecx+ebx]
;! [ecx+ebx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        assume  ebx:nothing
        inc     [ebx]
;! [ebx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        assume  ebx:error
        inc     [ebx]
;! [ebx | operand size not specified
;!   = write `byte ptr`, `word ptr` or `dword ptr`
        end
;---
        .386
data    segment use16
data    ends
code    segment use16
        assume  cs:code, si:ptr word
        test    es:[si], 0FFh
;= 26f704ff00
        mov     [si+4], 1
;= c744040100
code    ends
        end
;---
; In the calls of TASM several arguments may stand between two commas.
        model   small
        extrn   pascal makewin:far
icon    equ     7
        dataseg
title_  db      'x', 0
;= 7800
handle  dw      ?
;= 0000
        codeseg
        call    makewin pascal, ds offset title_, ax icon, handle ax, 5 6
;= 1e680000506a07ff360200506a056a069a00000000
;! icon | warning: the 8086 cannot push a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM pushes in several instructions
        call    makewin pascal, 5 shl 2, word ptr handle bx, es:[bx] cx
;= 6a14ff3602005326ff37519a00000000
        call    makewin pascal, ax, 5 +
;= 50
;! 5 + | missing operand
        call    makewin pascal, ax nowhere
;= 509a00000000
;! nowhere | undefined symbol `nowhere`
        call    makewin pascal, ax,
;!  | expected an argument
        end
