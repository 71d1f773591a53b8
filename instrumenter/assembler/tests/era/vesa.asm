; VESA bank switching and LFB set-up, Watcom C 32-bit calling, WASM/TASM/MASM
.386p
.387
ifndef __FLAT__
__FLAT__ equ 1
endif
name    vesa
extrn   _vbe_info:byte
extrn   vesa_bank_:near
PUBLIC  setbank_
PUBLIC  _curbank, blit_line_
DGROUP  GROUP   CONST,CONST2,_DATA,_BSS
_TEXT   SEGMENT BYTE PUBLIC USE32 'CODE'
        ASSUME CS:_TEXT, DS:DGROUP, SS:DGROUP
setbank_:
        cmp     eax,dword ptr _curbank
;= 3b0500404000
        je      short L$1
;= 741d
        mov     dword ptr _curbank,eax
;= a300404000
        push    ebx
;= 53
        push    edx
;= 52
        mov     edx,eax
;= 8bd0
        xor     ebx,ebx
;= 33db
        mov     eax,4f05H
;= b8054f0000
        mul     byte ptr _vbe_info+0aH
;= f6250a000000
        call    near ptr vesa_bank_
;= e800000000
        pop     edx
;= 5a
        pop     ebx
;= 5b
L$1:    ret
;= c3
        nop
;= 90
L$2     DD      offset L$3
;= 2f104000
        DD      DGROUP:L$9
;= 00204000
L$3:    lea     eax,-4[ebp]
;= 8d45fc
        mov     -8[ebp],eax
;= 8945f8
        mov     dword ptr -0cH[ebp],0
;= c745f400000000
        mov     eax,+8[ebp+edx*4]
;= 8b449508
        jmp     dword ptr cs:L$2[eax*4]
;= 2eff248527104000
blit_line_:
        push    esi
;= 56
        push    edi
;= 57
        mov     ecx,edx
;= 8bca
        shr     ecx,2H
;= c1e902
        repe    movsd
;= f3a5
        mov     cl,dl
;= 8aca
        and     cl,3
;= 80e103
        rep     movsb
;= f3a4
        fld     dword ptr L$10
;= d90508204000
        fmul    qword ptr L$11
;= dc0d00304000
        fistp   dword ptr -4[esp]
;= db5c24fc
        pop     edi
;= 5f
        pop     esi
;= 5e
        ret
;= c3
_TEXT   ENDS
CONST   SEGMENT DWORD PUBLIC USE32 'DATA'
L$9     DB      'No VESA', 0
;= 4e6f205645534100
L$10    DD      3fc00000H
;= 0000c03f
CONST   ENDS
CONST2  SEGMENT DWORD PUBLIC USE32 'DATA'
L$11    DB      0,0,0,0,0,0,0e0H,3fH
;= 000000000000e03f
CONST2  ENDS
_DATA   SEGMENT DWORD PUBLIC USE32 'DATA'
_curbank DD     0ffffffffH
;= ffffffff
        ORG     40H
fill    DB      0
;= 00
_DATA   ENDS
_BSS    SEGMENT DWORD PUBLIC USE32 'BSS'
work    LABEL   BYTE
        ORG     0
        DB      256 DUP(?)
;= 256 bytes, 214f05c5
_BSS    ENDS
        END
