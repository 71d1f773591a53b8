; Procedures with ARG, called as TASM does: C from right to left, and the caller cleans up; PASCAL from left to right,
; and the procedure does. What follows RETURNS stays on the stack.
; expect stop = return
; expect of_c = 4
; expect of_c_by_head = 6
; expect of_pascal = 40
; expect kept = 21
; expect by_hand = 97
; expect bytes = 8
; expect saved = 5
; expect moved = 0
        .386
        .model  flat
        .data
of_c            dd 0
of_c_by_head    dd 0
of_pascal       dd 0
kept            dd 0
by_hand         dd 0
bytes           dd 0
saved           dd 0
moved           dd 0
        .code
difference proc C
        arg     a:dword, b:dword = arguments
        mov     eax,a
        sub     eax,b
        ret
difference endp

scaled  proc pascal
        arg     a:dword, b:dword
        local   t:dword
        uses    ebx
        mov     ebx,a
        shl     ebx,3
        mov     t,ebx
        mov     eax,t
        sub     eax,b
        ret
scaled  endp

multiplied proc pascal
        arg     a:dword, b:dword returns result:dword
        mov     eax,a
        imul    eax,b
        mov     result,eax
        ret
multiplied endp

; No ARG says that it has parameters.
first   proc C
        mov     eax,[esp+4]
        ret
first   endp

start:  mov     esi,esp
        mov     ebx,5
        call    difference C,7,3
        mov     of_c,eax
        call    difference,9,3
        mov     of_c_by_head,eax
        call    scaled pascal,6,8
        mov     of_pascal,eax
        push    0
        call    multiplied pascal,3,7
        pop     kept
        call    first C,97,98
        mov     by_hand,eax
        mov     bytes,arguments
        mov     saved,ebx
        sub     esi,esp
        mov     moved,esi
        ret
        end     start
