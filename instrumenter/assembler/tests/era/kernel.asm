; In the manner of DOS's own sources: macros that hide names, groups, classes
.xlist
.xcref
BREAK   MACRO   subtitle
SUBTTL  subtitle
PAGE
ENDM
TRUE    EQU     0FFFFh
FALSE   EQU     NOT TRUE
IBM     EQU     TRUE
MSVER   EQU     NOT IBM
DEBUG   EQU     FALSE
IF1
.xlist
ENDIF
I_AM    MACRO   NAME, SIZE, INIT
        IFE     SIZE-1
        NAME&   DB ?
        ELSE
        PUBLIC NAME
        IFB <INIT>
NAME    DB      SIZE DUP (?)
        ELSE
NAME    DW      INIT
        ENDIF
        ENDIF
ENDM
I_NEED  MACRO   SYM,LEN
DATA    SEGMENT
  IFB <LEN>
        EXTRN   &SYM:WORD
  ELSE
    IFIDN <LEN>,<DWORD>
        EXTRN   &SYM:DWORD
    ELSE
      IFIDN <LEN>,<BYTE>
        EXTRN   &SYM:BYTE
      ELSE
        EXTRN   &SYM:WORD
      ENDIF
    ENDIF
  ENDIF
DATA    ENDS
ENDM
procedure MACRO name,distance
        PUBLIC  name
name    PROC    distance
ENDM
invoke  MACRO   name
.xcref
        IF2
            IFNDEF name
                EXTRN name:NEAR
            ENDIF
        ENDIF
.cref
        CALL    name
ENDM
transfer MACRO  name
        jmp     name
ENDM
SaveReg MACRO   reglist
IRP reg,<reglist>
    PUSH    reg
ENDM
ENDM
RestoreReg MACRO reglist
IRP reg,<reglist>
    POP     reg
ENDM
ENDM
error   MACRO   code
        local   a
        MOV     AL,code
        transfer SYS_RET_ERR
ENDM
context MACRO   r
        PUSH    SS
        POP     r
ENDM
CONSTANTS       SEGMENT WORD PUBLIC 'CONST'
CONSTANTS       ENDS
DATA    SEGMENT WORD PUBLIC 'DATA'
DATA    ENDS
TABLE   SEGMENT BYTE PUBLIC 'TABLE'
TABLE   ENDS
CODE    SEGMENT BYTE PUBLIC 'CODE'
CODE    ENDS
LAST    SEGMENT PARA PUBLIC 'LAST'
LAST    ENDS
DOSGROUP    GROUP   CODE,CONSTANTS,DATA,TABLE,LAST
fcb     STRUC
fcb_drive       DB ?
fcb_name        DB 8 DUP (?)
fcb_ext         DB 3 DUP (?)
fcb_EXTENT      DW ?
fcb_RECSIZ      DW ?
fcb_FILSIZ      DW ?
                DW ?
fcb_FDATE       DW ?
fcb_RR          DB 4 DUP (?)
fcb     ENDS
fcb_bits  EQU   fcb_RR+1
sf_entry  STRUC
sf_ref_count    DW 0
sf_fcb          DB (SIZE fcb) DUP (?)
sf_entry  ENDS
user_environ STRUC
user_AX DW ?
user_BX DW ?
user_IP DW ?
user_CS DW ?
user_F  DW ?
user_environ ENDS
CONSTANTS SEGMENT
        I_AM    BUF,128
;= 128 bytes, 388dd1c5
        I_AM    VERB,1
;= 00
        I_AM    PTRX,2,<-1>
;= ffff
        EVEN
;= 00
        PUBLIC  DIVMES
DIVMES  DB      13,10,"Divide overflow",13,10
;= 0d0a446976696465206f766572666c6f770d0a
        IF      IBM AND NOT DEBUG
        DB      "IBM"
;= 49424d
        ENDIF
        IF      NOT IBM
        DB      "not"
;= 6e6f74
        ENDIF
CONSTANTS ENDS
CODE    SEGMENT BYTE PUBLIC 'CODE'
        ASSUME  SS:DOSGROUP,CS:DOSGROUP
        BREAK   <DISPATCH -- system call>
        i_need  CURDRV,BYTE
        i_need  THISFCB,DWORD
        i_need  RENBUF,11
        IF2
        %OUT    pass 2
        ENDIF
procedure $Dispatch,NEAR
        ASSUME  DS:NOTHING,ES:NOTHING
        SaveReg <AX,BX,CX>
;= 505351
        CMP     AH,MAXCALL
;= 80fc01
        JBE     OKCALL
;= 7603
BADCALL:
        XOR     AL,AL
;= 32c0
        IRET
;= cf
OKCALL:
        context DS
;= 161f
        ASSUME  DS:DOSGROUP
        MOV     BX,OFFSET DOSGROUP:DISPATCHTAB
;= bbd700
        MOV     AL,[CURDRV]
;= a00000
        LES     DI,[THISFCB]
;= c43e0000
        CMP     ES:[DI.fcb_drive],0
;= 26803d00
        MOV     AX,ES:[DI].fcb_FILSIZ
;= 268b4510
        MOV     AX,WORD PTR ES:[DI+fcb_bits]
;= 268b4517
        LEA     SI,[DI.sf_fcb.fcb_name]
;= 8d7503
        MOV     DX,[SI.user_environ.user_IP]
;= 8b5404
        MOV     [SI.user_AX],AX
;= 8904
        invoke  GetThing
;= e80700
        RestoreReg <CX,BX,AX>
;= 595b58
        error   5
;= b005eb01
$Dispatch endp
procedure GetThing,NEAR
        RET
;= c3
GetThing endp
        procedure SYS_RET_ERR,near
        STC
;= f9
        RET     2
;= c20200
SYS_RET_ERR ENDP
CODE    ENDS
TABLE   SEGMENT
DISPATCHTAB LABEL WORD
        DW      OFFSET DOSGROUP:GetThing
;= 3500
        SHORT_ADDR  MACRO   name
        DW      OFFSET DOSGROUP:name
        ENDM
        SHORT_ADDR $Dispatch
;= 0000
MAXCALL EQU     ($-DISPATCHTAB)/2 - 1
TABLE   ENDS
        END
