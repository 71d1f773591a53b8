; Keywords before the names, also outside IDEAL mode, and after `proc` a language.
        ideal
        p386
        model   flat
        codeseg
proc    c first
        arg     a:dword, b:dword = size1
        local   t:dword
        uses    esi, edi
        mov     eax, [a]
;= 558bec83ec0456578b4508
        push    ds es esi
;= 1e0656
        mov     [t], eax
;= 8945fc
        pop     esi es ds
;= 5e071f
        ret
;= 5f5ec9c3
endp    first
        masm
proc    second near
        ret
;= c3
endp    second
third   proc    pascal far
        arg     x:word
        mov     ax, x
;= 558bec668b4508
        ret
;= c9c20400
third   endp
        end
;---
segment code para public 'CODE'
        assume  cs:code, ds:code
proc    main
        ret
;= c3
endp    main
struc   pair
left    dw      1
right   dw      2
ends    pair
p       pair    <>
;= 01000200
ends    code
        end
;---
; No code at the start of a procedure, and none at its returns.
        .386
        .model  flat, c
        .code
        option  prologue:none, epilogue:none
bare    proc    uses ebx, a:dword
        mov     eax, [esp+4]
;= 8b442404
        ret
;= c3
bare    endp
        option  prologue:prologuedef
        option  epilogue:epiloguedef
full    proc    uses ebx, a:dword
        mov     eax, a
;= 558bec538b4508
        ret
;= 5bc9c3
full    endp
        option  proc:private, casemap:none, language:pascal
own     proc    a:dword
        mov     eax, a
;= 558bec8b4508
        ret
;= c9c20400
own     endp
Own     label   near
        dd      own, Own
;= 0f10400019104000
        option  prologue:mine
        option  nonsense
;! nonsense | unknown option `nonsense`
        end
;---
        .model  small
        .data
x       dw      5
;= 0500
        ends
        .code
start:  mov     ax, x
;= a10000
        ends
        end     start
;---
; Without a calling convention nothing makes the frame.
        .model  small
        .code
f       proc    a:word, b:word
;! a | warning: procedure with parameters has no calling convention: the assembler sets up no frame
;!   = write `.model flat, stdcall` or `.model flat, c`, or name it after `proc`
        push    bp
;= 55
        mov     bp, sp
;= 8bec
        mov     ax, a
;= 8b4604
        pop     bp
;= 5d
        ret     4
;= c20400
f       endp
        end
;---
; Names that are words of the assembler elsewhere.
        .model  small
        .data
err     dw      1
;= 0100
dataseg segment
v       dw      2
;= 0200
dataseg ends
small   db      3
;= 03
width   dw      4
;= 0400
        .code
        assume  ds:dataseg
start:  mov     ax, dataseg
;= b81210
        mov     bx, v
;= 8b1e0000
        assume  ds:dgroup
        mov     ax, err
;= a10000
        inc     small
;= fe060200
        mov     bl, small
;= 8a1e0200
        cmp     width, 5
;= 833e030005
        je      ne
;= 7401
        nop
;= 90
ne:     ret
;= c3
        end     start
;---
; A comma may precede the first parameter.
        .model  small, pascal
        .code
compare proc, first:dword, second:dword, length:word
        mov     cx, length
;= 558bec8b4e04
        lds     si, first
;= c5760a
        ret
;= 5dc20a00
compare endp
        end
;---
; TASM: arguments that other modules define, words for doublewords of the 286, what a head says is returned.
        ideal
        model   small, pascal
        p286
        dataseg
        extrn   screen:dword, count:word
        codeseg
; What stays on the stack alone has its place above the return address, too.
proc    answer near returns most:word
        mov     [most], ax
;= 558bec894604
        ret
;= c9c3
endp
proc    asked near
        arg     returns most:word
        mov     [most], ax
;= 558bec894604
        ret
;= c9c3
endp
proc    move
        arg     source:dword, size:word
        ret
;= 558becc9c20600
endp
proc    largest first:word, second:word returns most:word
        mov     ax, [first]
;= 558bec8b4606
        mov     [most], ax
;= 894608
        ret
;= c9c20400
endp
proc    query prolog near
        arg     term:word
        mov     ax, [term]
;= 558bec8b4604
        ret
;= c9c3
endp
        call    move, [screen], [count]
;= ff360200ff360000ff360000e8d5ff
        call    move, [dword screen+4], 5
;= ff360600ff3604006a05e8c8ff
        p386
        call    move, [screen], [count]
;= 66ff360000ff360000e8bcff
        call    query prolog, ax
;= 50e8ccff83c402
        end
