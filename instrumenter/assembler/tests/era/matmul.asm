;
; 3D vector maths for a flat protected mode demo (Watcom calls)
;
        .386
        .model flat
        .387
MAXPTS  equ 256
vec3    struc
x       real4 0.0
y       real4 0.0
z       real4 0.0
vec3    ends
mat     struct 4
m       dd 9 dup (?)
t       vec3 <>
mat     ends

_DATA   segment dword public use32 'DATA'
identity mat <{3F800000r,0,0, 0,3F800000r,0, 0,0,3F800000r}>
;= 0000803f0000000000000000000000000000803f0000000000000000000000000000803f000000000000000000000000
world   mat <>
;= 000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
points  vec3 MAXPTS dup (<1.0,2.0,3.0>)
;= 3072 bytes, ed801fc5
result  vec3 MAXPTS dup (<>)
;= 3072 bytes, ddf97dc5
half    dd 0.5
;= 0000003f
tmp     dq ?
;= 0000000000000000
_DATA   ends

_TEXT   segment para public use32 'CODE'
        assume cs:_TEXT, ds:_DATA
        public transform_
; esi -> points, edi -> result, ebx -> matrix, ecx = count
transform_ proc near
next:   fld     [esi].vec3.x
;= d906
        fmul    dword ptr [ebx]
;= d80b
        fld     [esi].vec3.y
;= d94604
        fmul    dword ptr [ebx+4]
;= d84b04
        faddp   st(1),st
;= dec1
        fld     [esi].vec3.z
;= d94608
        fmul    dword ptr [ebx+8]
;= d84b08
        fadd
;= dec1
        fadd    [ebx].mat.t.x
;= d84324
        fstp    [edi].vec3.x
;= d91f
irp     row,<1,2>
        fld     [esi].vec3.x
        fmul    dword ptr [ebx+row*12]
        fld     [esi].vec3.y
        fmul    dword ptr [ebx+row*12+4]
        fld     [esi].vec3.z
        fmul    dword ptr [ebx+row*12+8]
        fxch    st(1)
        faddp   st(2),st(0)
        faddp
  if row eq 1
        fadd    [ebx].mat.t.y
        fstp    [edi].vec3.y
  else
        fadd    [ebx].mat.t.z
        fstp    [edi].vec3.z
  endif
endm
;= d906d84b0cd94604d84b10d94608d84b14d9c9dec2dec1d84328d95f04d906d84b18d94604d84b1cd94608d84b20d9c9dec2dec1d8432cd95f08
        add     esi,sizeof vec3
;= 83c60c
        add     edi,size vec3
;= 83c70c
        dec     ecx
;= 49
        jnz     next
;= 75a4
        ret
;= c3
transform_ endp

        public  fixmul_, isqrt_
fixmul_ proc
        imul    edx
;= f7ea
        shrd    eax,edx,16
;= 0facd010
        ret
;= c3
fixmul_ endp

isqrt_  proc
        push    ebx ecx
;= 5351
        mov     ebx,eax
;= 8bd8
        xor     eax,eax
;= 33c0
bit     = 30
        rept    16
        local   skip
        lea     ecx,[eax + (1 shl bit)]
        shr     eax,1
        cmp     ebx,ecx
        jb      skip
        sub     ebx,ecx
        add     eax,1 shl bit
skip:
bit     = bit-2
        endm
;= 284 bytes, d56bfded
        pop     ecx ebx
;= 595b
        ret
;= c3
isqrt_  endp
start:  mov     esi,offset points
;= be60204000
        mov     edi,offset result
;= bf602c4000
        mov     ebx,offset identity
;= bb00204000
        mov     ecx,lengthof points
;= b900010000
        call    transform_
;= e85efeffff
        ret
;= c3
_TEXT   ends
        end     start
