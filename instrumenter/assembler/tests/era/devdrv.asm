; Character device driver after the DOS technical reference
CR      EQU     0DH
MAXCMD  EQU     16
CSEG    SEGMENT PARA PUBLIC 'CODE'
        ASSUME  CS:CSEG, ES:NOTHING, DS:NOTHING
        ORG     0
DRIVER  PROC    FAR
NEXTDEV DD      -1
;= ffffffff
ATTRIB  DW      8000H
;= 0080
        DW      STRATEGY
;= 3800
        DW      INTERRUPT
;= 4300
        DB      'MYDEV   '
;= 4d59444556202020
RH      STRUC
RHLEN   DB      ?
UNIT    DB      ?
CMD     DB      ?
STATUS  DW      ?
RESV    DB      8 DUP (?)
RH      ENDS
RHIO    STRUC
        DB      (TYPE RH) DUP (?)
MEDIA   DB      ?
ADDR    DD      ?
COUNT   DW      ?
START_SECTOR DW ?
RHIO    ENDS
REQPTR  DD      ?
;= 00000000
CMDTAB  DW      INIT
;= 8c00
        DW      2 DUP (NOCMD)
;= 62006200
        DW      IOCTL_IN,INPUT
;= 70007000
        DW      NOCMD,NOCMD,NOCMD
;= 620062006200
        DW      OUTPUT
;= 7c00
        DW      8 DUP (NOCMD)
;= 62006200620062006200620062006200
STRATEGY PROC FAR
        MOV     WORD PTR CS:[REQPTR],BX
;= 2e891e1200
        MOV     WORD PTR CS:[REQPTR+2],ES
;= 2e8c061400
        RET
;= cb
STRATEGY ENDP
INTERRUPT PROC FAR
        PUSH    AX
;= 50
        PUSH    DS
;= 1e
        PUSHF
;= 9c
        LES     BX,CS:REQPTR
;= 2ec41e1200
        MOV     AL,ES:[BX].CMD
;= 268a4702
        CMP     AL,MAXCMD
;= 3c10
        JA      NOCMD
;= 770f
        CBW
;= 98
        ADD     AX,AX
;= 03c0
        MOV     SI,AX
;= 8bf0
        CALL    CS:CMDTAB[SI]
;= 2eff941600
        JMP     CS:CMDTAB[SI]
;= 2effa41600
NOCMD:  MOV     AX,8103H
;= b80381
EXIT:   OR      AX,100H
;= 0d0001
        MOV     ES:[BX].STATUS,AX
;= 26894703
        POPF
;= 9d
        POP     DS
;= 1f
        POP     AX
;= 58
        RET
;= cb
INTERRUPT ENDP
IOCTL_IN:
INPUT:  LDS     DI,ES:[BX].ADDR
;= 26c57f0e
        MOV     CX,ES:[BX].COUNT
;= 268b4f12
        JCXZ    OK
;= e30e
        XCHG    BX,CX
;= 87d9
OUTPUT: MOV     AX,ES:[BX.COUNT]
;= 268b4712
        MOV     AX,ES:[BX+RHIO.START_SECTOR]
;= 268b4714
        LES     SI,DWORD PTR ES:[BX+ADDR]
;= 26c4770e
OK:     XOR     AX,AX
;= 33c0
        JMP     EXIT
;= ebd9
DRIVER  ENDP
ENDRES  LABEL   BYTE
INIT:   LES     BX,CS:REQPTR
;= 2ec41e1200
        MOV     WORD PTR ES:[BX].ADDR,OFFSET ENDRES
;= 26c7470e8c00
        MOV     WORD PTR ES:[BX].ADDR+2,CS
;= 268c4f10
        MOV     WORD PTR ES:[BX].ADDR[2],CS
;= 268c4f10
        JMP     OK
;= ebe7
CSEG    ENDS
        END
