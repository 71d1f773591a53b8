        NAME    NULDRV
        .8086
CSEG    SEGMENT PUBLIC 'CODE'
        ORG     0
        ASSUME  CS:CSEG,DS:CSEG,ES:CSEG

rqhdr   STRUC
rlength DB      ?
unit    DB      ?
command DB      ?
status  DW      ?
        DB      8 DUP (?)
media   DB      ?
trans   DD      ?
cnt     DW      ?
rqhdr   ENDS

DONE    EQU     0100H
BUSY    EQU     0200H
ERROR   EQU     8000H

header  DD      -1
;= ffffffff
attr    DW      8000H
;= 0080
        DW      OFFSET strategy
;= 2400
        DW      OFFSET interrupt
;= 2f00
        DB      'RAMNULL '
;= 52414d4e554c4c20

request DD      ?
;= 00000000
table   DW      init
;= 7400
        DW      mediachk
;= 6100
        DW      buildbpb
;= 6900
        DW      3 DUP (notimp)
;= 700070007000
        DW      input
;= 6900
MAXCMD  EQU     ($-table)/TYPE table - 1

strategy PROC   FAR
        MOV     WORD PTR CS:[request],BX
;= 2e891e1200
        MOV     WORD PTR CS:[request+2],ES
;= 2e8c061400
        RET
;= cb
strategy ENDP

interrupt PROC  FAR
        PUSH    AX
;= 50
        PUSH    BX
;= 53
        PUSH    SI
;= 56
        PUSH    DS
;= 1e
        PUSH    ES
;= 06
        PUSH    CS
;= 0e
        POP     DS
;= 1f
        LES     BX,[request]
;= c41e1200
        MOV     AL,ES:[BX].command
;= 268a4702
        CMP     AL,MAXCMD
;= 3c06
        JA      bad
;= 770b
        CBW
;= 98
        SHL     AX,1
;= d1e0
        MOV     SI,AX
;= 8bf0
        CALL    table[SI]
;= ff941600
        JMP     SHORT fin
;= eb03
bad:    MOV     AX,ERROR OR 3
;= b80380
fin:    OR      AX,DONE
;= 0d0001
        LES     BX,request
;= c41e1200
        MOV     ES:[BX].status,AX
;= 26894703
        POP     ES
;= 07
        POP     DS
;= 1f
        POP     SI
;= 5e
        POP     BX
;= 5b
        POP     AX
;= 58
        RET
;= cb
interrupt ENDP

mediachk:
        MOV     BYTE PTR ES:[BX+14],1
;= 26c6470e01
        XOR     AX,AX
;= 33c0
        RET
;= c3
buildbpb:
input:  XOR     AX,AX
;= 33c0
        MOV     ES:[BX].cnt,AX
;= 26894712
        RET
;= c3
notimp: MOV     AX,ERROR+3
;= b80380
        RET
;= c3
init:   MOV     WORD PTR ES:[BX].trans,OFFSET init
;= 26c7470e7400
        MOV     WORD PTR ES:[BX].trans+2,CS
;= 268c4f10
        MOV     ES:[BX.media],0
;= 26c6470d00
        XOR     AX,AX
;= 33c0
        RET
;= c3
CSEG    ENDS
        END
