; VxD-like macros and 32-bit segments
        .386p
??_CUR_CODE_SEG = 0
??_DDK_LVL = 30ah
_LTEXT  segment dword use32 public 'LCODE'
_LTEXT  ends
_LDATA  segment dword use32 public 'LCODE'
_LDATA  ends
_ITEXT  segment dword use32 public 'ICODE'
_ITEXT  ends
_LGROUP group   _LTEXT,_LDATA
        assume  ds:flat,es:flat,ss:flat
VxD_LOCKED_CODE_SEG macro
_LTEXT  segment
??_CUR_CODE_SEG = ??_CUR_CODE_SEG shl 2 + 1
        assume  cs:flat,ds:flat,es:flat,ss:flat
        endm
VxD_LOCKED_CODE_ENDS macro
??_CUR_CODE_SEG = ??_CUR_CODE_SEG shr 2
_LTEXT  ends
        endm
BeginProc macro Name,P1,P2,P3
        local   Profile_Data
??_hook = 0
        irp     arg,<P1,P2,P3>
        ifidni  <arg>,<High_Freq>
        align   4
        else
        ifidni  <arg>,<Service>
@@&Name label   near
        else
        ifnb    <arg>
        .err
        endif
        endif
        endif
        endm
Name    proc    near
??_name equ     <Name>
        endm
EndProc macro   Name
Name    endp
        endm
Begin_Service_Table macro Dev
Dev&_Service macro P
??_t = Dev&_n
__&P    equ     ??_t
Dev&_n  = Dev&_n + 1
        dd      offset flat:P
        endm
Dev&_n  = 0
        endm
VxDCall macro   P
        ifdef   __&P
        int     20h
        dd      __&P + (5 shl 16)
        else
        .err    <no service P>
        endif
        endm
VxDJmp  equ     <VxDCall>
CondBit macro   b
        ??b = 0
        while   (1 shl ??b) lt b
        ??b = ??b + 1
        endm
        exitm   %??b
        endm
Client_Reg struc
Client_EDI dd   ?
Client_EAX dd   ?
Client_Reg ends
Client_Word struc
Client_DI dw    ?
        dw      ?
Client_AX dw    ?
Client_Word ends
Client_Byte struc
        dd      ?
Client_AL db    ?
Client_AH db    ?
Client_Byte ends
DDB     struc
Next    dd      ?
Ver     dw      ??_DDK_LVL
        dw      ?
Nam     db      '        '
Init    dd      80000000h
Ctl     dd      ?
DDB     ends
_LDATA  segment
MYDEV_DDB DDB   <,,,'MYDEV   ',,offset flat:Control>
;= 000000000a0300004d594445562020200000008000104000
        Begin_Service_Table MYDEV
tbl     label   dword
        MYDEV_Service Get_Ver
;= 3d104000
        MYDEV_Service Do_It
;= 44104000
_LDATA  ends
        VxD_LOCKED_CODE_SEG
        BeginProc Control,High_Freq
        cmp     eax,1
;= 83f801
        je      short Init
;= 7402
        clc
;= f8
        ret
;= c3
Init:
        mov     [ebp.Client_AX],5
;= 66c745040500
        mov     [ebp].Client_AL,al
;= 884504
        mov     eax,[ebp.Client_EAX]
;= 8b4504
        mov     [ebp+Client_AH],1
;= c6450501
        movzx   eax,[ebp.Client_DI]
;= 0fb74500
        bt      eax,CondBit(16)
;= 0fbae004
        VxDCall Get_Ver
;= cd2000000500
        VxDJmp  Do_It
;= cd2001000500
        mov     esi,offset flat:tbl
;= be18204000
        lea     edi,[MYDEV_DDB.Nam]
;= 8d3d08204000
        jmp     [tbl+eax*4]
;= ff248518204000
        EndProc Control
        BeginProc Get_Ver,Service
        mov     eax,100h
;= b800010000
        clc
;= f8
        ret
;= c3
        EndProc Get_Ver
        BeginProc Do_It,Service,High_Freq
        pushfd
;= 9c
        pop     eax
;= 58
        jmp     Get_Ver
;= ebf5
        EndProc Do_It
        VxD_LOCKED_CODE_ENDS
        end
