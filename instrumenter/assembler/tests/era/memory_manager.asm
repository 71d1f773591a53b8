;' $Header: style of a memory manager, MASM 5.1/6 $
        title   MM_TEST -- memory manager pieces
        page    58,122
        name    MM_TEST
COMMENT|        Module Specifications
Segmentation:  Group PGROUP
| ;* End of Comment
.386p
.xlist
REGSAVE macro   LIST
        local   LAST
        irp     XX,<LIST>
        ifdif   <XX>,<>
        push    XX
LAST    =       1
        endif
        endm
        endm
REGREST macro   LIST
        irp     XX,<LIST>
        pop     XX
        endm
        endm
PUSHW   macro   VAL
        db      68h
        dw      VAL
        endm
PUSHD   macro   VAL
        db      66h,68h
        dd      VAL
        endm
SETBIT  macro   SYM,VAL
&SYM    equ     VAL
        endm
BTAB    macro   NAM,TXT
        local   L1,L2
NSYM    segment
L1      db      L2,TXT
L2      equ     $-L1-1
NSYM    ends
VSYM    segment
        dw      NGROUP:L1
VSYM    ends
        endm
DTR_STR struc
DTR_LIM dw      ?
DTR_BASE dd     ?
DTR_STR ends
DESC_REC record $DD_G:1,$DD_B:1,$DD_0:1,$DD_AVL:1,$DD_L:4
@DD_G   equ     (mask $DD_G)
CPLx    equ     00b
DPL3    equ     3 shl $DD_L
PGROUP  group   CODE,NSYM,VSYM
NGROUP  equ     PGROUP
NSYM    segment use16 byte public 'prog'
        assume  ds:PGROUP
NSYM    ends
VSYM    segment use16 word public 'prog'
VTAB    label   word
VSYM    ends
DATA16  segment use16 dword public 'data'
        assume  ds:DATA16
        public  GDTR,LCL_FLAG,DEBUG
GDTR    DTR_STR <>
;= 000000000000
LCL_FLAG dw     0
;= 0000
@LCL_INIT equ   8000h
@LCL_XMS  equ   4000h
DEBUG   dd      0
;= 00000000
I31_LST label   dword
        irp     nn,<00,01,02,0A>
        dd      I31_&nn
        endm
;= 01000000020000000300000004000000
TRAPTAB dw      32 dup (?)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
DATA16  ends
CODE    segment use16 byte public 'prog'
        assume  cs:PGROUP,ds:PGROUP
        public  INIT,LOCAL_PROC
        BTAB    one,'ONE'
;= 034f4e450000
        BTAB    two,<'TWO',0>
;= 0454574f000400
INIT    proc    far
        assume  ds:PGROUP,es:nothing,fs:nothing,gs:nothing,ss:nothing
        REGSAVE <ax,bx,si>
;= 505356
        test    LCL_FLAGX,@LCL_INIT
;= f70698000080
        jz      short @F
;= 7406
        or      LCL_FLAGX,@LCL_INIT or @LCL_XMS
;= 810e980000c0
@@:
        mov     ax,seg DATA16
;= b81b10
        mov     es,ax
;= 8ec0
        assume  es:DATA16
        test    LCL_FLAG,@LCL_INIT
;= 26f70606000080
        and     LCL_FLAG,not @LCL_INIT
;= 2681260600ff7f
        mov     eax,DEBUG
;= 6626a10800
        mov     eax,GDTR.DTR_BASE
;= 6626a10200
        sgdt    GDTR.DTR_LIM
;= 260f01060000
        lidt    fword ptr es:[bx]
;= 260f011f
        mov     al,@DD_G or DPL3
;= b083
        mov     al,mask $DD_AVL
;= b010
        xor     al,not mask $DD_AVL
;= 34ef
        movzx   esp,sp
;= 660fb7e4
        mov     dr7,eax
;= 0f23f8
        mov     eax,dr6
;= 0f21f0
        mov     cr3,eax
;= 0f22d8
        PUSHW   <seg PGROUP>
;= 681010
        PUSHD   12345678h
;= 666878563412
        btr     dword ptr [bx],5
;= 660fba3705
        bts     eax,31-1
;= 660fbae81e
        bsf     ax,[bp+4]
;= 0fbc4604
        shld    eax,edx,16
;= 660fa4d010
        shrd    [bp-4],ax,cl
;= 0fad46fc
        str     ax
;= 0f00c8
        ltr     ax
;= 0f00d8
        clts
;= 0f06
        invd
;= 0f08
        jmp     short $+2
;= eb00
        call    LOCAL_PROC
;= e81000
        jmp     I31_TAB[bx]
;= ffa79400
        REGREST <si,bx,ax>
;= 5e5b58
        ret
;= cb
INIT    endp
        align   4
;= 9090
I31_TAB label   word
        dw      offset PGROUP:LOCAL_PROC
;= 9a00
        dw      PGROUP:INIT
;= 1000
LCL_FLAGX dw    0
;= 0000
EDF     equ     <DTR_LIM>
LOCAL_PROC proc near
        push    TRAP_ERR
;= 6a05
        lea     esi,[eax+ebx*2+8]
;= 67668d745808
        cmp     byte ptr gs:[esi],'A'+80h
;= 6765803ec1
        mov     eax,[esp].ZERO
;= 67668b0424
        mov     [bp+BPPARM],ax
;= 894606
        ret
;= c3
LOCAL_PROC endp
ZERO    equ     0
BPPARM  equ     6
TRAP_ERR equ    5
I31_00  equ     1
I31_01  equ     2
I31_02  equ     3
I31_0A  equ     4
CODE    ends
        MEND    macro
        end
        endm
        MEND
