; The same calls in TASM's IDEAL mode.
; expect stop = return
; expect of_c = 4
; expect of_pascal = 40
; expect kept = 21
; expect bytes = 8
; expect saved = 5
; expect moved = 0
        ideal
        p386
        model   flat
        dataseg
of_c            dd 0
of_pascal       dd 0
kept            dd 0
bytes           dd 0
saved           dd 0
moved           dd 0
        codeseg
proc    difference C
        arg     a:dword, b:dword = arguments
        mov     eax,[a]
        sub     eax,[b]
        ret
endp    difference

proc    scaled pascal
        arg     a:dword, b:dword
        local   t:dword
        uses    ebx
        mov     ebx,[a]
        shl     ebx,3
        mov     [t],ebx
        mov     eax,[t]
        sub     eax,[b]
        ret
endp    scaled

proc    multiplied pascal
        arg     a:dword, b:dword returns result:dword
        mov     eax,[a]
        imul    eax,[b]
        mov     [result],eax
        ret
endp

start:  mov     esi,esp
        mov     ebx,5
        call    difference C,7,3
        mov     [of_c],eax
        call    scaled pascal,6,8
        mov     [of_pascal],eax
        push    0
        call    multiplied pascal,3,7
        pop     [kept]
        mov     [bytes],arguments
        mov     [saved],ebx
        sub     esi,esp
        mov     [moved],esi
        ret
        end     start
