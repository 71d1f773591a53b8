;---------------------------------------------------------------
;                           EAT3.ASM
;            Backhanded advertising program, with procedures
;                                    Last update 12/27/89
;---------------------------------------------------------------
;----------------------------|
;    BEGIN STACK SEGMENT     |
;----------------------------|
MyStack    SEGMENT STACK           ; STACK word ensures loading of SS by DOS

           DB 64 DUP ('STACK!!!') ; This reserves 512 bytes for the stack
;= 512 bytes, aa0d1dc5

MyStack    ENDS

;----------------------------|
;     BEGIN DATA SEGMENT     |
;----------------------------|
MyData     SEGMENT
Eat1       DB  'Eat at Joe''s . . .','$'
;= 456174206174204a6f652773202e202e202e24
Eat2       DB  '...ten million flies can''t ALL be wrong!','$'
;= 2e2e2e74656e206d696c6c696f6e20666c6965732063616e277420414c4c2062652077726f6e672124
CRLF       DB  0DH,0AH,'$'
;= 0d0a24
LRXY       DW  184FH          ; 18H = 24D; 4FH = 79D; 0-based XY of lower right
;= 4f18
TextPos    DW  ?
;= 0000
VidOrigin  DD  0B8000000H
;= 000000b8
MyData     ENDS

;----------------------------|
;     BEGIN CODE SEGMENT     |
;----------------------------|
MyCode     SEGMENT

assume  CS:MyCode,DS:MyData
Main       PROC

Start:     ; This is where program execution begins:
           mov  AX,MyData      ; Set up our own data segment address in DS
;= b83110
           mov  DS,AX          ; Can't load segment reg. directly from memory
;= 8ed8
           call ClrScr
;= e83500
           lea  DX,Eat1        ; Load offset of Eat1 message string into DX
;= 8d160000
           call Writeln        ;   and display it
;= e84200
           mov  TextPos,0914H
;= c70641001409
           mov  DX,TextPos
;= 8b164100
           call GotoXY
;= e81a00
           lea  DX,Eat2
;= 8d161300
           call Writeln
;= e82e00
           les  DI,DWORD PTR VidOrigin
;= c43e4300
           mov  CX,2000
;= b9d007
           mov  AX,0720H
;= b82007
           call ClrFast
;= e81d00
           mov  AH,4CH         ; Terminate process DOS service
;= b44c
           mov  AL,0           ; Pass this value back to ERRORLEVEL
;= b000
           int  21H            ; Control returns to DOS
;= cd21

;----------------------------|
;  PROCEDURE SECTION         |
;----------------------------|
GotoXY     PROC
           mov  AH,02H
;= b402
           mov  BH,0
;= b700
           int  10H
;= cd10
           ret
;= c3
GotoXY     ENDP
ClrScr     PROC
           mov  CX,0
;= b90000
           mov  DX,LRXY
;= 8b163f00
           mov  AL,0
;= b000
           mov  BH,07H
;= b707
           mov  AH,06H
;= b406
           int  10H
;= cd10
           ret
;= c3
ClrScr     ENDP
ClrFast    PROC NEAR
           cld
;= fc
           rep  stosw
;= f3ab
           ret
;= c3
ClrFast    ENDP
Writeln    PROC
           call Write
;= e80700
           mov  DX,OFFSET CRLF
;= ba3c00
           call Write
;= e80100
           ret
;= c3
Writeln    ENDP
Write      PROC
           mov  AH,09H
;= b409
           int  21H
;= cd21
           ret
;= c3
Write      ENDP
Main       ENDP
MyCode     ENDS

           END Start
