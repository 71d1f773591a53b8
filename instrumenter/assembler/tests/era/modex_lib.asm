        PAGE    255, 132
        .MODEL Medium
        .286
    ;===== MACROS =====
    ; Macro to OUT a 16 bit value to an I/O port
OUT_16 MACRO Register, Value
    IFDIFI <Register>, <DX>         ; If DX not setup
        MOV     DX, Register        ; then Select Register
    ENDIF
    IFDIFI <Value>, <AX>            ; If AX not setup
        MOV     AX, Value           ; then Get Data Value
    ENDIF
        OUT     DX, AX
ENDM
PUSHx MACRO R1, R2, R3, R4, R5, R6, R7, R8
    IFNB <R1>
        PUSH    R1              ; Save R1
        PUSHx   R2, R3, R4, R5, R6, R7, R8
    ENDIF
ENDM
POPx MACRO R1, R2, R3, R4, R5, R6, R7, R8
    IFNB <R1>
        POP     R1
        POPx    R2, R3, R4, R5, R6, R7, R8
    ENDIF
ENDM
CLR MACRO Register, R2, R3, R4, R5, R6
    IFNB <Register>
        XOR     Register, Register
        CLR     R2, R3, R4, R5, R6
    ENDIF
ENDM
LOOPx MACRO Register, Destination
        DEC     Register
        JNZ     Destination
ENDM
LOOPjz MACRO Register, Destination
        DEC     Register
        JZ      Destination
ENDM
    ; General Constants
    False   EQU 0
    True    EQU -1
    nil     EQU 0
    b       EQU BYTE PTR
    w       EQU WORD PTR
    d       EQU DWORD PTR
    o       EQU OFFSET
    f       EQU FAR PTR
    s       EQU SHORT
    ?x4     EQU <?,?,?,?>
    ?x3     EQU <?,?,?>
    SC_Index        EQU 03C4h
    MAP_MASK        EQU 02h
    ALL_PLANES_ON   EQU 00F02h
Last_X_Mode     =   2
ROM_8x8         EQU 3
Mode_Data_Table STRUC
    M_MiscR         DB  ?
    M_Pages         DB  ?
    M_XSize         DW  ?
    M_CRTC          DW  ?
Mode_Data_Table ENDS
VR_STACK STRUC
              DW  ?, ?, ?
    VR_Arg    DD ?
    VR_Last   DW  ?x3
VR_STACK ENDS
    .DATA
CRTC_T1     DW  05F00h,04F01h
;= 005f014f
MODE_TABLE:
    DW o MODE_1, o MODE_2
;= 08000e00
MODE_1 Mode_Data_Table <063h, 3, 320, CRTC_T1>
;= 630340010000
MODE_2 Mode_Data_Table <0E3h, 3, 400, CRTC_T1>
;= e30390010000
    .DATA?
SCREEN_WIDTH    DW  ?
;= 0000
LAST_PAGE       DW  0 DUP (?)
PAGE_ADDR       DW  4 DUP (?)
;= 0000000000000000
TMP             DB  ?x4
;= 00000000
    .CODE
    PUBLIC  SET_VGA_MODEX
SVM_STACK   STRUC
                DW  ?x4         ; DI, SI, DS, BP
                DD  ?           ; Caller
    SVM_Pages   DW  ?
    SVM_Ysize   DW  ?
    SVM_Mode    DW  ?
SVM_STACK   ENDS
SET_VGA_MODEX PROC FAR
    PUSHx   BP, DS, SI, DI
;= 551e5657
    MOV     BP, SP
;= 8bec
    CLR     CX
;= 33c9
    MOV     AL, b [BP].SVM_Mode
;= 8a4610
    CMP     [BP].SVM_Pages, 0
;= 837e0c00
    JNE     s @SVM_BadModeSetup
;= 7511
    CMP     AL, Last_X_Mode
;= 3c02
    JGE     @SVM_BadModeSetup
;= 7d0d
    MOV     BX, o MODE_TABLE
;= bb0400
    SHL     AX, 1
;= d1e0
    ADD     BX, AX
;= 03d8
    MOV     SI, w MODE_TABLE[BX]
;= 8bb70400
    JMP     s @SVM_Continue
;= eb04
@SVM_BadModeSetup:
    CLR     AX
;= 33c0
    JMP     @SVM_Exit
;= eb2a
@SVM_Continue:
    MOV     AX, [SI].M_XSize
;= 8b4402
    MOV     [SCREEN_WIDTH], AX
;= a32000
    OUT_16  SC_Index, ALL_PLANES_ON
;= bac403b8020fef
    OUT_16  dx, <(4 SHL 8) OR 1>
;= b80104ef
    LEA     DX, [SI].M_CRTC[2]
;= 8d5406
    MOV     BX, [SI+2].M_XSize
;= 8b5c04
    LOOPx   CX, @SVM_Continue
;= 4975e6
    LOOPjz  CX, @SVM_Exit
;= 49740d
    CALL    f SUB_FAR
;= 9a57001010
    MOV     d [BP-4], nil
;= 66c746fc00000000
@SVM_Exit:
    POPx    DI, SI, DS, BP
;= 5f5e1f5d
    RET     6
;= ca0600
SET_VGA_MODEX ENDP
SUB_FAR PROC FAR
    RET
;= cb
SUB_FAR ENDP
    END
