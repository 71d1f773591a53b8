; SORT - reads numbers and sorts them (book listing, MASM 5, full segments)
          .LALL
STACKSG   SEGMENT PARA STACK 'Stack'
          DW   32 DUP(?)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
STACKSG   ENDS
;
DATASG    SEGMENT PARA 'Data'
NAMEPAR   LABEL BYTE                    ;Name parameter list:
MAXNLEN   DB   21                       ; max. length
;= 15
NAMELEN   DB   ?                        ; no. chars. entered
;= 00
NAMEFLD   DB   21 DUP(' ')              ; name
;= 202020202020202020202020202020202020202020
CRLF      DB   13, 10, '$'
;= 0d0a24
ENDADDR   DW   ?
;= 0000
MESSG1    DB   'Name? ', '$'
;= 4e616d653f2024
NAMECTR   DB   00
;= 00
NAMETAB   DB   30 DUP(20 DUP(' '))      ;Name table
;= 600 bytes, 58b85cc5
NAMESAV   DB   20 DUP(?), 13, 10, '$'
;= 00000000000000000000000000000000000000000d0a24
SWAPPED   DB   00
;= 00
TABLE     DW   5, 3, 8, 1
;= 0500030008000100
TABLEN    EQU  ($-TABLE)/2
DATASG    ENDS
;
CODESG    SEGMENT PARA 'Code'
BEGIN     PROC FAR
          ASSUME CS:CODESG,DS:DATASG,SS:STACKSG,ES:DATASG
          PUSH DS
;= 1e
          SUB  AX,AX
;= 2bc0
          PUSH AX
;= 50
          MOV  AX,DATASG
;= b82110
          MOV  DS,AX
;= 8ed8
          MOV  ES,AX
;= 8ec0
          CLD
;= fc
          LEA  DI,NAMETAB
;= 8d3e2400
A20LOOP:
          CALL B10READ
;= e81e00
          CMP  NAMELEN,00
;= 803e010000
          JZ   A30
;= 740c
          CMP  NAMECTR,30
;= 803e23001e
          JE   A30
;= 7405
          CALL D10STOR
;= e83100
          JMP  A20LOOP
;= ebea
A30:
          CMP  NAMECTR,01
;= 803e230001
          JBE  A40
;= 7603
          CALL G10SORT
;= e83300
A40:      RET
;= cb
BEGIN     ENDP

B10READ   PROC
          MOV  AH,09
;= b409
          LEA  DX,MESSG1
;= 8d161c00
          INT  21H
;= cd21
          MOV  AH,0AH
;= b40a
          LEA  DX,NAMEPAR
;= 8d160000
          INT  21H
;= cd21
          MOV  BH,00
;= b700
          MOV  BL,NAMELEN
;= 8a1e0100
          MOV  CX,21
;= b91500
          SUB  CX,BX
;= 2bcb
B20:      MOV  NAMEFLD[BX],20H
;= c687020020
          INC  BX
;= 43
          LOOP B20
;= e2f8
          RET
;= c3
B10READ   ENDP
D10STOR   PROC
          INC  NAMECTR
;= fe062300
          LEA  SI,NAMEFLD
;= 8d360200
          MOV  CX,10
;= b90a00
          REP MOVSW
;= f3a5
          RET
;= c3
D10STOR   ENDP
G10SORT   PROC
          SUB  DI,40
;= 83ef28
          MOV  ENDADDR,DI
;= 893e1a00
G20:      MOV  SWAPPED,00
;= c606930200
          LEA  SI,NAMETAB
;= 8d362400
G30:      MOV  CX,20
;= b91400
          MOV  DI,SI
;= 8bfe
          ADD  DI,20
;= 83c714
          MOV  AX,DI
;= 8bc7
          MOV  BX,SI
;= 8bde
          REPE CMPSB
;= f3a6
          JBE  G40
;= 7603
          CALL H10XCHG
;= e81000
G40:      MOV  SI,AX
;= 8bf0
          CMP  SI,ENDADDR
;= 3b361a00
          JBE  G30
;= 76e5
          CMP  SWAPPED,00
;= 803e930200
          JNZ  G20
;= 75d5
          RET
;= c3
G10SORT   ENDP
H10XCHG   PROC
          MOV  CX,10
;= b90a00
          LEA  DI,NAMESAV
;= 8d3e7c02
          MOV  SI,BX
;= 8bf3
          REP MOVSW
;= f3a5
          MOV  SWAPPED,01
;= c606930201
          MOV  AX,TABLE[2]
;= a19602
          XCHG AX,TABLE+4
;= 87069802
          MOV  CX,TABLEN
;= b90400
          RET
;= c3
H10XCHG   ENDP
CODESG    ENDS
          END  BEGIN
