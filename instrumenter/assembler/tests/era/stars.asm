;                 3D STARFIELD, 512 bytes intro style.      TASM 3
.MODEL TINY
.386
.CODE
ORG 100h
JUMPS
MAXSTARS        EQU     100
STARSTRUC STRUC
 SX DW ?
 SY DW ?
 SZ DW ?
ENDS
START:
        MOV     AL,13h
;= b013
        INT     10h
;= cd10
        MOV     AX,CS
;= 8cc8
        ADD     AH,10h
;= 80c410
        MOV     ES,AX
;= 8ec0
        PUSH    0A000h
;= 6800a0
        POP     FS
;= 0fa1
        LEA     DI,STARS
;= 8d3e8b01
        MOV     CX,MAXSTARS
;= b96400
INIT:   CALL    RANDOM
;= e86200
        MOV     [DI.SX],AX
;= 8905
        CALL    RANDOM
;= e85d00
        MOV     [DI].SY,AX
;= 894502
        CALL    RANDOM
;= e85700
        AND     AX,0FFh
;= 25ff00
        INC     AX
;= 40
        MOV     [DI+SZ],AX
;= 894504
        ADD     DI,SIZE STARSTRUC
;= 83c706
        LOOP    INIT
;= e2e6
FRAME:  MOV     DX,3DAh
;= bada03
VR1:    IN      AL,DX
;= ec
        TEST    AL,8
;= a808
        JZ      VR1
;= 74fb
        LEA     SI,STARS
;= 8d368b01
        MOV     CX,MAXSTARS
;= b96400
DRAW:   LODSW
;= ad
        CWD
;= 99
        IDIV    WORD PTR [SI+2]
;= f77c02
        ADD     AX,160
;= 05a000
        MOV     BX,AX
;= 8bd8
        LODSW
;= ad
        CWD
;= 99
        IDIV    WORD PTR [SI]
;= f73c
        ADD     AX,100
;= 83c064
        CMP     AX,200
;= 3dc800
        JAE     NOPE
;= 7310
        CMP     BX,320
;= 81fb4001
        JAE     NOPE
;= 730a
        IMUL    DI,AX,320
;= 69f84001
        ADD     DI,BX
;= 03fb
        MOV     BYTE PTR FS:[DI],15
;= 64c6050f
NOPE:   DEC     WORD PTR [SI]
;= ff0c
        JNZ     SHORT @F
;= 7504
        MOV     WORD PTR [SI],255
;= c704ff00
@@:     LODSW
;= ad
        LOOP    DRAW
;= e2cf
        IN      AL,60h
;= e460
        DAS
;= 2f
        JC      FRAME
;= 72bb
        MOV     AX,3
;= b80300
        INT     10h
;= cd10
        RET
;= c3
RANDOM: MOV     AX,SEED
;= a18901
        MOV     DX,8405h
;= ba0584
        MUL     DX
;= f7e2
        INC     AX
;= 40
        MOV     SEED,AX
;= a38901
        RET
;= c3
SEED    DW      1234
;= d204
STARS   STARSTRUC MAXSTARS DUP (?)
;= 600 bytes, 83492985
END START
