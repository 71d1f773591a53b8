; *** The precision Zen timer (as in the book's listing 2-1) ***
; Uses the 8253 timer; maximum about 54 ms.
Code    segment word public 'CODE'
        assume  cs:Code, ds:nothing
        public  ZTimerOn, ZTimerOff, ZTimerReport

BASE_8253               equ     40h
TIMER_0_8253            equ     BASE_8253 + 0
TIMER_2_8253            equ     BASE_8253 + 2
MODE_8253               equ     BASE_8253 + 3
OCW3                    equ     20h
IRR                     equ     20h
POPF macro
        local   p1, p2
        jmp     short p2
p1:     iret                    ;jump to pushed address & pop flags
p2:     push    cs
        call    p1
        endm
DELAY   macro
        jmp     $+2
        jmp     $+2
        jmp     $+2
        endm
OriginalFlags           db      ?
;= 00
TimedCount              dw      ?
;= 0000
ReferenceCount          dw      ?
;= 0000
OverflowFlag            db      ?
;= 00

OutputStr       label   byte
        db      0dh, 0ah, 'Timed count: ', 5 dup (?)
;= 0d0a54696d656420636f756e743a200000000000
ASCIICountEnd           label   byte
        db      ' microseconds', 0dh, 0ah
;= 206d6963726f7365636f6e64730d0a
        db      '$'
;= 24
OverflowStr     label   byte
        db      0dh, 0ah
;= 0d0a
        db      '****************************************************'
;= 2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a
        db      0dh, 0ah
;= 0d0a
        db      '* The timer overflowed, so the interval timed was  *'
;= 2a205468652074696d6572206f766572666c6f7765642c20736f2074686520696e74657276616c2074696d65642077617320202a
        db      0dh, 0ah, '$'
;= 0d0a24

ZTimerOn        proc    near
        push    ax
;= 50
        pushf
;= 9c
        pop     ax
;= 58
        mov     cs:[OriginalFlags],ah
;= 2e88260000
        and     ah,0fdh
;= 80e4fd
        push    ax
;= 50
        sti
;= fb
        mov     al,00110100b
;= b034
        out     MODE_8253,al
;= e643
        DELAY
;= eb00eb00eb00
        sub     al,al
;= 2ac0
        out     TIMER_0_8253,al
;= e640
        DELAY
;= eb00eb00eb00
        out     TIMER_0_8253,al
;= e640
        rept    10
        jmp     $+2
        endm
;= eb00eb00eb00eb00eb00eb00eb00eb00eb00eb00
        cli
;= fa
        mov     al,00110100b
;= b034
        out     MODE_8253,al
;= e643
        DELAY
;= eb00eb00eb00
        sub     al,al
;= 2ac0
        out     TIMER_0_8253,al
;= e640
        POPF
;= eb01cf0ee8fbff
        pop     ax
;= 58
        ret
;= c3
ZTimerOn        endp

ZTimerOff proc  near
        push    ax
;= 50
        push    cx
;= 51
        pushf
;= 9c
        mov     al,00000000b
;= b000
        out     MODE_8253,al
;= e643
        mov     al,00001010b
;= b00a
        out     OCW3,al
;= e620
        DELAY
;= eb00eb00eb00
        in      al,IRR
;= e420
        and     al,1
;= 2401
        mov     cs:[OverflowFlag],al
;= 2ea20500
        sti
;= fb
        in      al,TIMER_0_8253
;= e440
        DELAY
;= eb00eb00eb00
        mov     ah,al
;= 8ae0
        in      al,TIMER_0_8253
;= e440
        xchg    ah,al
;= 86e0
        neg     ax
;= f7d8
        mov     cs:[TimedCount],ax
;= 2ea30100
        mov     cs:[ReferenceCount],0
;= 2ec70603000000
        mov     cx,16
;= b91000
        cli
;= fa
RefLoop:
        call    ReferenceZTimerOn
;= e82c00
        call    ReferenceZTimerOff
;= e83400
        loop    RefLoop
;= e2f8
        sti
;= fb
        add     cs:[ReferenceCount],8
;= 2e8306030008
        mov     cl,4
;= b104
        shr     cs:[ReferenceCount],cl
;= 2ed32e0300
        pop     ax
;= 58
        mov     ch,cs:[OriginalFlags]
;= 2e8a2e0000
        and     ch,not 0fdh
;= 80e502
        and     ah,0fdh
;= 80e4fd
        or      ah,ch
;= 0ae5
        push    ax
;= 50
        POPF
;= eb01cf0ee8fbff
        pop     cx
;= 59
        pop     ax
;= 58
        ret
;= c3
ZTimerOff endp

ReferenceZTimerOn proc near
        push    ax
;= 50
        pushf
;= 9c
        POPF
;= eb01cf0ee8fbff
        pop     ax
;= 58
        ret
;= c3
ReferenceZTimerOn endp
ReferenceZTimerOff proc near
        ret
;= c3
ReferenceZTimerOff endp

ZTimerReport    proc    near
        push    ds
;= 1e
        push    cs
;= 0e
        pop     ds
;= 1f
        assume  ds:Code
        cmp     [OverflowFlag],0
;= 803e050000
        jz      PrintGoodCount
;= 7409
        mov     dx,offset OverflowStr
;= ba2a00
        mov     ah,9
;= b409
        int     21h
;= cd21
        jmp     short EndZTimerReport
;= eb2d
PrintGoodCount:
        mov     ax,[TimedCount]
;= a10100
        sub     ax,[ReferenceCount]
;= 2b060300
        mov     si,offset ASCIICountEnd - 1
;= be1900
        mov     dx,8381
;= babd20
        mul     dx
;= f7e2
        mov     bx,10000
;= bb1027
        div     bx
;= f7f3
        mov     bx,10
;= bb0a00
        mov     cx,5
;= b90500
CTSLoop:
        sub     dx,dx
;= 2bd2
        div     bx
;= f7f3
        add     dl,'0'
;= 80c230
        mov     [si],dl
;= 8814
        dec     si
;= 4e
        loop    CTSLoop
;= e2f4
        mov     ah,9
;= b409
        mov     dx,offset OutputStr
;= ba0600
        int     21h
;= cd21
EndZTimerReport:
        pop     ds
;= 1f
        ret
;= c3
ZTimerReport    endp
Code    ends
        end
