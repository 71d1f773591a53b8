; flat 3-D engine with FPU, for a 32-bit C compiler
        .486
        .MODEL  FLAT, C
        LOCALS  __
VECTOR  STRUCT  4
x       REAL4   0.0
y       REAL4   0.0
z       REAL4   0.0
VECTOR  ENDS
MATRIX  STRUCT
m       REAL4   9 DUP (0.0)
t       VECTOR  <>
MATRIX  ENDS
EDGE    STRUCT
x1      SDWORD  ?
dx      SDWORD  ?
next    PTR EDGE ?
EDGE    ENDS
FIX     EQU     16
FONE    EQU     (1 SHL FIX)
        .DATA
        ALIGN   8
half    REAL8   0.5
;= 000000000000e03f
magic   DQ      4338000000000000h
;= 0000000000003843
conv    DD      59C00000h, 4B400000h
;= 0000c0590000404b
ident   MATRIX  <<1.0,0.0,0.0, 0.0,1.0,0.0, 0.0,0.0,1.0>,<>>
;= 0000803f0000000000000000000000000000803f0000000000000000000000000000803f000000000000000000000000
cube    VECTOR  <-1.0,-1.0,-1.0>,<1.0,-1.0,-1.0>
;= 000080bf000080bf000080bf0000803f000080bf000080bf
        VECTOR  6 DUP (<>)
;= 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
ncube   EQU     ($-cube)/SIZEOF VECTOR
faces   DD      0,1,2,3, 4,5,6,7
;= 0000000001000000020000000300000004000000050000000600000007000000
fcw     DW      037Fh
;= 7f03
oldcw   DW      ?
;= 0000
EXTERNDEF C screen:PTR BYTE
EXTERNDEF ytable:DWORD
        .DATA?
pts     VECTOR  100 DUP (<?,?,?>)
;= 1200 bytes, 45188545
        .CODE
MatMul  PROC    C USES esi edi, a:PTR MATRIX, v:PTR VECTOR, o:PTR VECTOR
        mov     esi,a
;= 558bec56578b7508
        mov     edi,v
;= 8b7d0c
        ASSUME  esi:PTR MATRIX, edi:PTR VECTOR
        fld     [edi].x
;= d907
        fmul    [esi].m[0]
;= d80e
        fld     [edi].y
;= d94704
        fmul    [esi].m[4]
;= d84e04
        fld     [edi].z
;= d94708
        fmul    [esi].m[8]
;= d84e08
        fxch    st(2)
;= d9ca
        faddp   st(1),st
;= dec1
        faddp
;= dec1
        fadd    [esi].t.x
;= d84624
        fadd    REAL4 PTR [esi+36]
;= d84624
        mov     eax,o
;= 8b4510
        fstp    (VECTOR PTR [eax]).x
;= d918
        fst     VECTOR.y[eax]
;= d95004
        fist    DWORD PTR [eax].VECTOR.z
;= db5008
        fstp    st(0)
;= ddd8
        ASSUME  esi:NOTHING, edi:NOTHING
        fld     magic
;= dd0508204000
        fadd    QWORD PTR [half]
;= dc0500204000
        fild    SDWORD PTR [eax]
;= db00
        fidiv   WORD PTR [eax]
;= de30
        fsubr   REAL8 PTR [eax*8+half]
;= dc2cc500204000
        fdivrp  st(1),st(0)
;= def1
        fcompp
;= ded9
        fstsw   ax
;= 9bdfe0
        sahf
;= 9e
        fldcw   fcw
;= d92dc8204000
        fnstcw  [oldcw]
;= d93dca204000
        ret
;= 5f5ec9c3
MatMul  ENDP
Span    PROC    C PUBLIC USES ebx esi edi ebp, e:PTR EDGE, color:DWORD
        LOCAL   cnt:DWORD, left:SDWORD, tmp[2]:REAL8
        mov     ebx,e
;= 558bec83ec18535657558b5d08
        mov     edx,(EDGE PTR [ebx]).dx
;= 8b5304
        sar     edx,FIX
;= c1fa10
        imul    eax,edx,FONE/2
;= 69c200800000
        mov     edi,screen
;= 8b3d00000000
        add     edi,ytable[eax*4]
;= 033c8500000000
        mov     ecx,cnt
;= 8b4dfc
        .IF     SDWORD PTR edx < 0 && left > ecx
;= 83fa007d07394df87e02
          neg   edx
;= f7da
        .ENDIF
        movzx   eax,BYTE PTR color
;= 0fb6450c
        mov     ah,al
;= 8ae0
        mov     ecx,eax
;= 8bc8
        shl     eax,16
;= c1e010
        mov     ax,cx
;= 668bc1
        test    edi,3
;= f7c703000000
        jz      __aligned
;= 7401
        stosb
;= aa
__aligned:
        push    ecx
;= 51
        shr     ecx,2
;= c1e902
        rep     stosd
;= f3ab
        pop     ecx
;= 59
        and     ecx,3
;= 83e103
        rep     stosb
;= f3aa
        fstp    tmp[8]
;= dd5df0
        mov     eax,DWORD PTR tmp[8+4]
;= 8b45f4
        mov     eax,ncube
;= b808000000
        lea     eax,pts[eax+SIZEOF VECTOR*2]
;= 8d8018304000
        mov     ebx,[ebx].EDGE.next
;= 8b5b08
        ret
;= 5d5f5e5bc9c3
Span    ENDP
        END
