; old compiler output conventions and far data: large model, Pascal externals, Turbo Pascal unit
DATA    SEGMENT WORD PUBLIC
        EXTRN   ScreenSeg : WORD, Colors : BYTE
        EXTRN   Origin : DWORD
Local1  DW      ?
;= 0000
Table   DB      256 DUP (?)
;= 256 bytes, 214f05c5
DATA    ENDS
CODE    SEGMENT BYTE PUBLIC
        ASSUME  CS:CODE, DS:DATA
        EXTRN   Random : NEAR, WriteLn : FAR
        PUBLIC  Line, Sum, Find
; procedure Line(X1, Y1, X2: Integer; Color: Byte);
Line    PROC    FAR
X1      EQU     WORD PTR [BP+12]
Y1      EQU     WORD PTR [BP+10]
X2      EQU     WORD PTR [BP+8]
Color   EQU     BYTE PTR [BP+6]
Err     EQU     [BP-2]
Dx_     EQU     [WORD PTR BP-4]
        PUSH    BP
;= 55
        MOV     BP,SP
;= 8bec
        SUB     SP,4
;= 83ec04
        PUSH    DS
;= 1e
        MOV     AX,X1
;= 8b460c
        CMP     AX,X2
;= 3b4608
        JLE     L1
;= 7e06
        XCHG    AX,X2
;= 874608
        MOV     X1,AX
;= 89460c
L1:     MOV     WORD PTR Err,0
;= c746fe0000
        MOV     Dx_,AX
;= 8946fc
        MOV     AX,ScreenSeg
;= a10000
        MOV     ES,AX
;= 8ec0
        MOV     BL,Color
;= 8a5e06
        XOR     BH,BH
;= 32ff
        MOV     AL,Table[BX]
;= 8a870200
        MOV     AL,Colors[BX]
;= 8a870000
        LES     DI,Origin
;= c43e0000
        LDS     SI,[BP+6]
;= c57606
        CALL    Random
;= e80000
        CALL    WriteLn
;= 9a00000000
        CALL    Sum
;= e80700
        POP     DS
;= 1f
        MOV     SP,BP
;= 8be5
        POP     BP
;= 5d
        RET     8
;= ca0800
Line    ENDP
; function Sum(var A; N: Word): LongInt;
Sum     PROC    NEAR
        ARG     N:WORD, A:DWORD = ArgSize
        LOCAL   Tot:DWORD = LocSize
        PUSH    BP
;= 55
        MOV     BP,SP
;= 8bec
        SUB     SP,LocSize
;= 83ec04
        LES     DI,A
;= c47e06
        MOV     CX,N
;= 8b4e04
        MOV     WORD PTR Tot,0
;= c746fc0000
        MOV     WORD PTR Tot+2,0
;= c746fe0000
@@1:    MOV     AX,ES:[DI]
;= 268b05
        CWD
;= 99
        ADD     WORD PTR [Tot],AX
;= 0146fc
        ADC     WORD PTR [Tot+2],DX
;= 1156fe
        INC     DI
;= 47
        INC     DI
;= 47
        LOOP    @@1
;= e2f2
        MOV     AX,WORD PTR Tot
;= 8b46fc
        MOV     DX,WORD PTR [Tot+2]
;= 8b56fe
        MOV     SP,BP
;= 8be5
        POP     BP
;= 5d
        RET     ArgSize
;= c20600
Sum     ENDP
Find    PROC    FAR
        PUSH    DS
;= 1e
        LDS     SI,SS:[BX+4]
;= 36c57704
        LES     DI,DWORD PTR SS:[BX+8]
;= 36c47f08
        LODSB
;= ac
        MOV     AH,0
;= b400
        XCHG    CX,AX
;= 91
        JCXZ    F2
;= e303
F1:     CMPSB
;= a6
        LOOPE   F1
;= e1fd
F2:     MOV     AL,0
;= b000
        JNE     F3
;= 7501
        INC     AX
;= 40
F3:     POP     DS
;= 1f
        RET     8
;= ca0800
Find    ENDP
CODE    ENDS
        END
