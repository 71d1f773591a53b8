;
; d_drawx.asm
; x86 assembly-language horizontal span-drawing code.
;
 .386P
 .model FLAT
;
include_guard equ 1
 externdef _d_sdivzstepu:dword
 externdef _d_tdivzstepu:dword
 externdef _d_zistepu:dword
 externdef _cacheblock:dword
 externdef _bbextents:dword
 externdef C d_ziorigin:ptr dword
 externdef _Sys_Error:near
 externdef D_Callback:proc
_DATA SEGMENT
reciprocal_table dd 040000000h, 03f000000h, 03eaaaaabh, 03e800000h
;= 000000400000003fabaaaa3e0000803e
entryvec_table dd 0, Entry2_8, Entry3_8, Entry4_8
;= 00000000841040007e10400079104000
izistep dd 0
;= 00000000
jmptab dd 3 dup (LDone)
;= 9a1040009a1040009a104000
fp_64k dd 47800000h
;= 00008047
pcolormap dd 0
;= 00000000
 align 8
tagstring db "span", 0
;= 7370616e00
_DATA ENDS
NEAR_STACK equ 4+16
pspans equ 4+16
u_ equ 0
sspan_t_v equ 4
sspan_t_count equ 8
sspan_t_pnext equ 12
_TEXT SEGMENT
LClampHigh0:
 mov esi,ds:dword ptr[_bbextents]
;= 8b3500000000
 jmp LClampReentry0
;= eb65
LClampLow0:
 xor esi,esi
;= 33f6
 jmp LClampReentry0
;= eb61
 align 4
 public _D_DrawSpans8
_D_DrawSpans8:
 push ebp
;= 55
 push edi
;= 57
 push esi
;= 56
 push ebx
;= 53
 fld ds:dword ptr[_d_sdivzstepu]
;= d90500000000
 fmul ds:dword ptr[fp_64k]
;= d80d30204000
 mov edx,ds:dword ptr[_cacheblock]
;= 8b1500000000
 fld ds:dword ptr[_d_tdivzstepu]
;= d90500000000
 fmul ds:dword ptr[fp_64k]
;= d80d30204000
 mov ebx,ds:dword ptr[pspans+esp]
;= 3e8b5c2414
 fld ds:dword ptr[_d_zistepu]
;= d90500000000
 fmul ds:dword ptr[fp_64k]
;= d80d30204000
 mov ds:dword ptr[pcolormap],edx
;= 891534204000
 fstp ds:dword ptr[izistep]
;= d91d20204000
 fstp st(0)
;= ddd8
 fstp st(0)
;= ddd8
LSpanLoop:
 fild ds:dword ptr[4+ebx]
;= db4304
 fild ds:dword ptr[0+ebx]
;= db03
 fld st(1)
;= d9c1
 fmul ds:dword ptr[_d_sdivzstepu]
;= d80d00000000
 fld st(1)
;= d9c1
 fxch st(4)
;= d9cc
 faddp st(2),st(0)
;= dec2
 mov ecx,ds:dword ptr[sspan_t_count+ebx]
;= 8b4b08
 cmp esi,ds:dword ptr[_bbextents]
;= 3b3500000000
 ja LClampHigh0
;= 7793
LClampReentry0:
 mov edi,offset _cacheblock
;= bf00000000
 jmp dword ptr[entryvec_table+ecx*4]
;= ff248d10204000
Entry4_8:
 mov al,ds:byte ptr[esi]
;= 8a06
 mov ah,ds:byte ptr[3+edi]
;= 8a6703
Entry3_8:
 mov ds:byte ptr[2+edi],al
;= 884702
 db 0c0h,0e8h,4
;= c0e804
Entry2_8:
 mov ds:byte ptr[1+edi],ah
;= 886701
 mov dword ptr[LPatch-4],edx
;= 89158f104000
 add edx,12345678h
;= 81c278563412
LPatch:
 adc ecx,ds:dword ptr[reciprocal_table+8+edx*4]
;= 130c9508204000
LDone:
 mov ebx,ds:dword ptr[sspan_t_pnext+ebx]
;= 8b5b0c
 test ebx,ebx
;= 85db
 jnz LSpanLoop
;= 75ae
 pop ebx
;= 5b
 pop esi
;= 5e
 pop edi
;= 5f
 pop ebp
;= 5d
 ret
;= c3
 call near ptr _Sys_Error
;= e800000000
 call D_Callback
;= e800000000
_TEXT ENDS
 END
