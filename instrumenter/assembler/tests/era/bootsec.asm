;       Boot sector for a FAT12 floppy
        .8086
BPB     STRUC
jmpcode DB      3 DUP (?)
oem     DB      8 DUP (?)
bps     DW      ?
spc     DB      ?
res     DW      ?
nfats   DB      ?
nroot   DW      ?
nsect   DW      ?
media   DB      ?
spf     DW      ?
spt     DW      ?
heads   DW      ?
hidden  DD      ?
BPB     ENDS
BOOTSEG SEGMENT AT 0
        ORG     7C00H
Boot    BPB     <>
;= 0000000000000000000000000000000000000000000000000000000000000000
        ORG     78H
DiskParm DD     ?
;= +4
        ORG     500H
Buffer  LABEL   BYTE
BOOTSEG ENDS
LOADER  SEGMENT AT 70H
Entry   LABEL   FAR
LOADER  ENDS
CODE    SEGMENT
        ASSUME  CS:CODE,DS:BOOTSEG,ES:NOTHING
START:  JMP     SHORT INIT
;= eb1e
        NOP
;= 90
        DB      'MYOS 1.0'
;= 4d594f5320312e30
        DW      512
;= 0002
        DB      2
;= 02
        DW      1
;= 0100
        DB      2
;= 02
        DW      112
;= 7000
        DW      720
;= d002
        DB      0FDH
;= fd
        DW      2,9,2
;= 020009000200
        DD      0
;= 00000000
INIT:   CLI
;= fa
        XOR     AX,AX
;= 33c0
        MOV     DS,AX
;= 8ed8
        MOV     SS,AX
;= 8ed0
        MOV     SP,7C00H
;= bc007c
        STI
;= fb
        MOV     AL,Boot.nfats
;= a0107c
        CBW
;= 98
        MUL     Boot.spf
;= f726167c
        ADD     AX,Boot.res
;= 03060e7c
        ADD     AX,WORD PTR Boot.hidden
;= 03061c7c
        ADC     DX,WORD PTR Boot.hidden+2
;= 13161e7c
        PUSH    AX
;= 50
        MOV     AX,20H
;= b82000
        MUL     Boot.nroot
;= f726117c
        MOV     BX,Boot.bps
;= 8b1e0b7c
        ADD     AX,BX
;= 03c3
        DEC     AX
;= 48
        DIV     BX
;= f7f3
        MOV     CX,AX
;= 8bc8
        LES     DI,DiskParm
;= c43e7800
        MOV     AL,ES:[DI+4]
;= 268a4504
        LEA     BX,Buffer
;= 8d1e0005
        CALL    READ
;= e82500
        JC      ERR
;= 7212
        MOV     DI,OFFSET Buffer
;= bf0005
        MOV     SI,OFFSET NAME1 + 7C00H
;= bedb7c
        MOV     CX,11
;= b90b00
        REPE    CMPSB
;= f3a6
        JNE     ERR
;= 7505
        JMP     Entry
;= ea00007000
ERR:    MOV     SI,OFFSET MSG+7C00H
;= be927c
L1:     LODSB
;= ac
        OR      AL,AL
;= 0ac0
        JZ      $
;= 74fe
        MOV     AH,0EH
;= b40e
        MOV     BX,7
;= bb0700
        INT     10H
;= cd10
        JMP     L1
;= ebf2
READ    PROC
        DIV     BYTE PTR Boot.spt
;= f636187c
        MOV     DL,0
;= b200
        MOV     AX,0201H
;= b80102
        INT     13H
;= cd13
        RET
;= c3
READ    ENDP
MSG     DB      13,10,'Non-System disk or disk error',13,10
;= 0d0a4e6f6e2d53797374656d206469736b206f72206469736b206572726f720d0a
        DB      'Replace and strike any key when ready',13,10,0
;= 5265706c61636520616e6420737472696b6520616e79206b6579207768656e2072656164790d0a00
NAME1   DB      'IO      SYS'
;= 494f202020202020535953
        DB      510-($-START) DUP (0)
;= 280 bytes, 777aa785
        DW      0AA55H
;= 55aa
CODE    ENDS
        END     START
