; odds and ends of MASM 5 sources
        .8086
        .XCREF
        IFNDEF  VERSION
VERSION EQU     'A'
        ENDIF
ESC     EQU     1BH
BEL     EQU     7
PORT_A  =       60H
        ASSUME  CS:NOTHING,DS:NOTHING,ES:NOTHING,SS:NOTHING
STACKSEG SEGMENT PARA STACK 'STACK'
        DW      128 DUP(?)
;= 256 bytes, 214f05c5
TOS     LABEL   WORD
STACKSEG ENDS
BIOSDAT SEGMENT AT 40H
        ORG     17H
KBFLAG  DB      ?
;= 00
        ORG     6CH
TIMERLO DW      ?
;= 0000
TIMERHI DW      ?
;= 0000
BIOSDAT ENDS
ROM     SEGMENT AT 0F000H
        ORG     0FFF0H
RESET   LABEL   FAR
ROM     ENDS
REC     STRUC
NAM     DB      'default '
VAL     DW      1,2
PTR1    DD      0
FLG     DB      3 DUP(0FFH)
REC     ENDS
BITS    RECORD  A:2,B:3,C:3=5
DSEG    SEGMENT WORD PUBLIC 'DATA'
R1      REC     <>
;= 64656661756c74200100020000000000ffffff
R2      REC     <'abc',,7>
;= 61626320202020200100020007000000ffffff
R3      REC     3 DUP(<'x'>)
;= 78202020202020200100020000000000ffffff78202020202020200100020000000000ffffff78202020202020200100020000000000ffffff
B1      BITS    <1,2,3>
;= 53
B2      BITS    4 DUP(<,,>)
;= 05050505
VEC     DD      RESET, FAR PTR START
;= f0ff00f000001010
        DW      START,OFFSET DSEG:R1,SEG R1,R2-R1,SIZE R1,LENGTH R3,TYPE R3
;= 0000000030101300130003001300
NEG1    DW      -1,NOT 0,HIGH 1234H,LOW 1234H,(5 GT 3),5 EQ 4,17 MOD 5,1 SHL 4
;= ffffffff12003400ffff000002001000
        DB      'a'+1,'B'-'A','''',"""","''"
;= 620127222727
        DB      2 DUP(1,2 DUP(3),?)
;= 0103030001030300
        DQ      1.5,-1.5E-3
;= 000000000000f83ffa7e6abc749358bf
        DT      12345678901234567890H
;= 90785634129078563412
        DT      -123
;= 23010000000000000080
        DD      1.0,0C0000000R
;= 0000803f000000c0
OCT     DW      17Q,17O,1010B,0FFH,99D,255
;= 0f000f000a00ff006300ff00
W       EQU     WORD PTR
XP      EQU     [BP+4]
STR1    DB      'It''s',0DH,0AH,'$'
;= 497427730d0a24
LSTR    EQU     $-STR1
DSEG    ENDS
CSEG    SEGMENT BYTE PUBLIC 'CODE'
        ASSUME  CS:CSEG,DS:DSEG,SS:STACKSEG,ES:BIOSDAT
START   PROC    FAR
        MOV     AX,DSEG
;= b83010
        MOV     DS,AX
;= 8ed8
        MOV     AX,BIOSDAT
;= b84000
        MOV     ES,AX
;= 8ec0
        MOV     AX,STACKSEG
;= b81f10
        MOV     SS,AX
;= 8ed0
        MOV     SP,OFFSET TOS
;= bc0001
        TEST    KBFLAG,MASK B
;= 26f606170038
        MOV     AX,TIMERLO
;= 26a16c00
        SUB     AX,ES:TIMERHI
;= 262b066e00
        MOV     CL,C
;= b100
        MOV     AL,MASK A OR MASK C
;= b0c7
        MOV     AL,NOT MASK A AND 0FFH
;= b03f
        MOV     BX,OFFSET R1
;= bb0000
        MOV     AX,[BX].VAL
;= 8b4708
        MOV     AX,[BX].VAL+2
;= 8b470a
        MOV     AX,WORD PTR [BX].PTR1[2]
;= 8b470e
        MOV     AL,R2.NAM
;= a01300
        MOV     AL,R2.NAM+3
;= a01600
        MOV     AX,R3[SIZE REC].VAL
;= a14100
        MOV     AX,WORD PTR R2.NAM
;= a11300
        LES     SI,R1.PTR1
;= c4360c00
        MOV     W [SI],5
;= c7040500
        MOV     AX,XP
;= 8b4604
        MOV     W XP,AX
;= 894604
        MOV     AX,W VEC+2
;= a16600
        MOV     BX,2[BP][SI]
;= 8b5a02
        MOV     BX,[BP][SI]
;= 8b1a
        MOV     BX,[BP]
;= 8b5e00
        MOV     BX,DS:[BP]
;= 3e8b5e00
        MOV     BX,CS:[SI+2]
;= 2e8b5c02
        MOV     DX,WORD PTR ES:[DI]-2
;= 268b55fe
        MOV     [BX+SI]+4,AL
;= 884004
        MOV     AX,TYPE VEC
;= b80400
        CMP     BYTE PTR [BX],VERSION
;= 803f41
        CMP     STR1[LSTR-1],'$'
;= 803ed60024
        MOV     CX,LSTR
;= b90700
        MOV     AX,(LSTR+1)/2
;= b80400
        IN      AL,PORT_A
;= e460
        IN      AL,PORT_A+1
;= e461
        OUT     61H,AL
;= e661
        OUT     DX,AX
;= ef
        XCHG    AL,AH
;= 86c4
        XCHG    AX,[BX]
;= 8707
        XCHG    [BX],AX
;= 8707
        PUSH    ES:TIMERLO
;= 26ff366c00
        POP     WORD PTR [BX]
;= 8f07
        CALL    NEARP
;= e82e00
        CALL    FARP
;= 0ee82b00
        CALL    [BX].PTR1
;= ff5f0c
        CALL    DWORD PTR [BX]
;= ff1f
        CALL    WORD PTR [BX]
;= ff17
        CALL    BX
;= ffd3
        JMP     SHORT L1
;= eb16
        JMP     FAR PTR RESET
;= eaf0ff00f0
        JMP     RESET
;= eaf0ff00f0
        JMP     [BX]
;= ff27
        JMP     WORD PTR CS:TBL[BX]
;= 2effa7b900
        JMP     TBL[BX]
;= 2effa7b900
L1:     JMP     L2
;= eb0b
        INT     21H
;= cd21
        RET
;= cb
START   ENDP
TBL     DW      L1,L2
;= b400c100
NEARP   PROC
        RET
;= c3
NEARP   ENDP
FARP    PROC    FAR
        RET     2
;= ca0200
FARP    ENDP
L2      LABEL   NEAR
        REP     MOVSB
;= f3a4
        REPNE   SCASW
;= f2af
        MOVS    BYTE PTR ES:[DI],BYTE PTR CS:[SI]
;= 2ea4
        LODS    BYTE PTR ES:[SI]
;= 26ac
        STOS    WORD PTR ES:[DI]
;= ab
        CMPS    STR1,ES:KBFLAG
;= a6
        ESC     1,[BX]
;= 9bd80f
        FLD     QWORD PTR [BX]
;= 9bdd07
        FINIT
;= 9bdbe3
        FNINIT
;= dbe3
        FSTCW   [BX]
;= 9bd93f
        FWAIT
;= 9b
        FADD
;= 9bdec1
        FMUL    ST,ST(3)
;= 9bd8cb
        FCOM    ST(1)
;= 9bd8d1
        FSTSW   WORD PTR [BX]
;= 9bdd3f
        FBSTP   TBYTE PTR [BX]
;= 9bdf37
        JMP     START
;= e914ff
CSEG    ENDS
        END     START
