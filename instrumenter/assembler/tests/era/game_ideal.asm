; Side scroller pieces in TASM's IDEAL mode
        IDEAL
        P386N
        MODEL   LARGE, PASCAL
;! LARGE | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `model large` before `p386`, which otherwise makes segments of 32 bits
        JUMPS
        LOCALS  @@
STRUC   Sprite
  X       DW      ?
  Y       DW      ?
  XSpeed  DB      1
  YSpeed  DB      -1
  Frames  DD      8 DUP (?)
  Name    DB      'SPRITE  '
ENDS    Sprite
UNION   Fixed
  L       DD      ?
STRUC
  Frac    DW      ?
  Int     DW      ?
ENDS
ENDS    Fixed
MAXSPR  = 16
ENUM    Dirs    North, East, South, West
ENUM    Colors  { Black = 0
                  Blue
                  Green = 10
                  White }
        DATASEG
Sprites Sprite  MAXSPR DUP (<>)
;= 736 bytes, d54d2205
Cur     DD      Sprites
;= 00001a11
Speed   Fixed   <>
;= 00000000
Tab     DW      Black, Blue, Green, White
;= 000001000a000b00
Facing  Dirs    East
;= 01
        UDATASEG
Buf     DB      320*4 DUP (?)
;= 1280 bytes, 5698a5c5
        FARDATA VidMem
Vid     DB      1000h DUP (?)
;= 4096 bytes, fa431dc5
        CODESEG
        PUBLIC  MoveAll, PutPixel, ScrollTo
        EXTRN   Random:FAR
        GLOBAL  KeyTable:BYTE:128
MACRO   SETES   value
        mov     ax,value
        mov     es,ax
ENDM    SETES
PROC    MoveAll FAR
        USES    ds,si,di
        mov     si,OFFSET Sprites
;= 1e5657be0000
        mov     cx,MAXSPR
;= b91000
@@Loop:
        mov     al,[(Sprite PTR si).XSpeed]
;= 8a4404
        cbw
;= 98
        add     [(Sprite si).X],ax
;= 0104
        mov     al,[(Sprite PTR si).YSpeed]
;= 8a4405
        cbw
;= 98
        add     [(Sprite PTR si).Y],ax
;= 014402
        cmp     [(Sprite PTR si).X],320
;= 813c4001
        jb      @@InX
;= 7203
        neg     [BYTE PTR (Sprite PTR si).XSpeed]
;= f65c04
@@InX:  add     si,SIZE Sprite
;= 83c62e
        loop    @@Loop
;= e2e5
        ret
;= 5f5e1fcb
ENDP    MoveAll
PROC    PutPixel
        ARG     x:WORD, y:WORD, c:BYTE
        USES    es
        SETES   0A000h
;= 558bec06b800a08ec0
        mov     bx,[y]
;= 8b5e08
        imul    bx,320
;= 69db4001
        add     bx,[x]
;= 035e0a
        mov     al,[c]
;= 8a4606
        mov     [es:bx],al
;= 268807
        mov     [BYTE es:bx+1],al
;= 26884701
        ret
;= 07c9ca0600
ENDP    PutPixel
PROC    ScrollTo
        ARG     @@pos:DWORD, @@cnt:WORD = @@argsize
        LOCAL   @@tmp:WORD:4, @@p:DWORD, @@s:Sprite = @@locsize
        push    ds
;= 558bec83ec3a1e
        lds     si,[@@pos]
;= c57608
        mov     cx,[@@cnt]
;= 8b4e06
        lea     di,[@@tmp]
;= 8d7ef8
        push    ss
;= 16
        pop     es
;= 07
        rep     movsw
;= f3a5
        mov     [@@s.X],ax
;= 8946c6
        mov     [WORD LOW @@p],si
;= 8976f4
        mov     [WORD HIGH @@p],ds
;= 8c5ef6
        pop     ds
;= 1f
        mov     ax,[WORD Speed.Int]
;= a1e602
        add     [Speed.L],10000h
;= 668106e40200000100
        mov     ax,@@argsize + @@locsize
;= b84000
        call    Random PASCAL, ax, [WORD PTR @@p]
;= 50ff76f49a00000000
        call    MoveAll
;= 0ee87cff
        cmp     [Facing],West
;= 803ef00203
        je      @@done
;= 7404
        inc     [Facing]
;= fe06f002
@@done: ret
;= c9ca0600
ENDP    ScrollTo
        END
