        .286
        ASSUME CS:_TEXT
        PUBLIC _InstallTimer,_RemoveTimer,_Ticks
_DATA SEGMENT WORD PUBLIC 'DATA'
_Ticks  DW 0,0
;= 00000000
Rate    DW 1193180/70
;= 9542
Mode    DB ?
;= 00
_DATA ENDS
DGROUP GROUP _DATA
_TEXT SEGMENT WORD PUBLIC 'CODE'
OldTimer LABEL DWORD
OldOfs  DW ?
;= 0000
OldSeg  DW ?
;= 0000
Accum   DW 0
;= 0000
EOI     EQU     <mov al,20h>
TimerISR PROC FAR
        pusha
;= 60
        push    ds
;= 1e
        push    es
;= 06
        mov     ax,SEG DGROUP
;= b81a10
        mov     ds,ax
;= 8ed8
        mov     ax,DGROUP
;= b81a10
        assume  ds:DGROUP
        add     [_Ticks],1
;= 8306000001
        adc     [_Ticks+2],0
;= 8316020000
        mov     bx,OFFSET DGROUP:Rate
;= bb0400
        mov     dx,[bx]
;= 8b17
        add     cs:Accum,dx
;= 2e01160400
        jnc     NoChain
;= 7308
        pop     es
;= 07
        pop     ds
;= 1f
        popa
;= 61
        jmp     cs:OldTimer
;= 2eff2e0000
NoChain:
        EOI
;= b020
        out     20h,al
;= e620
        pop     es
;= 07
        pop     ds
;= 1f
        popa
;= 61
        iret
;= cf
TimerISR ENDP
_InstallTimer PROC NEAR
        enter   4,0
;= c8040000
        push    ds
;= 1e
        mov     ax,3508h
;= b80835
        int     21h
;= cd21
        mov     WORD PTR OldTimer,bx
;= 2e891e0000
        mov     WORD PTR OldTimer+2,es
;= 2e8c060200
        push    cs
;= 0e
        pop     ds
;= 1f
        assume  ds:NOTHING
        mov     dx,OFFSET TimerISR
;= ba0600
        mov     ah,25h
;= b425
        int     21h
;= cd21
        pop     ds
;= 1f
        assume  ds:DGROUP
        cli
;= fa
        mov     al,36h
;= b036
        out     43h,al
;= e643
        mov     ax,Rate
;= a10400
        out     40h,al
;= e640
        mov     al,ah
;= 8ac4
        jmp     $+2
;= eb00
        out     40h,al
;= e640
        sti
;= fb
        leave
;= c9
        ret
;= c3
_InstallTimer ENDP
_RemoveTimer PROC NEAR
        push    ds
;= 1e
        lds     dx,cs:[OldTimer]
;= 2ec5160000
        mov     ax,2508h
;= b80825
        int     21h
;= cd21
        pop     ds
;= 1f
        push    0
;= 6a00
        push    -1
;= 6aff
        push    1234h
;= 683412
        push    OFFSET TimerISR
;= 680600
        imul    ax,bx,10
;= 6bc30a
        imul    ax,1000
;= 69c0e803
        shl     ax,4
;= c1e004
        rol     BYTE PTR [bx],3
;= c00703
        insb
;= 6c
        rep     outsw
;= f36f
        bound   ax,[bx]
;= 6207
        lgdt    [bx]
;= 0f0117
        sldt    ax
;= 0f00c0
        smsw    [bx]
;= 0f0127
        verr    WORD PTR [bx]
;= 0f0027
        arpl    ax,bx
;= 63d8
        ret
;= c3
_RemoveTimer ENDP
_TEXT ENDS
        END
