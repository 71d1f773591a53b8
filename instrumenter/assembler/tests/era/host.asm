;--- HX/JWasm style: 32-bit DPMI code in 16-bit program
        .386
if ?FLAT
        .MODEL FLAT, stdcall
else
        .MODEL SMALL, stdcall
;! SMALL | warning: memory model ignored: the program is assembled and run as flat 32-bit code
;!   = write `.model flat`, or `.model small` before `.386` for 16-bit segments
endif
        option casemap:none
        option proc:private
?FLAT   equ 0
?DEBUG  equ 0
lf      equ 10
@defseg macro x,y,z
x       segment y public z
x       ends
        endm
@strout macro xx:vararg
local   sym
CONST$1 segment
sym     db xx
        db 0
CONST$1 ends
        push offset sym
        call putstr
        endm
@loadesi macro x
ife ?FLAT
        lds esi,x
else
        mov esi,x
endif
        endm
@wait   macro
        endm
CONST$1 segment dword public 'CONST'
CONST$1 ends
DGROUP  group CONST$1,_DATA
CStr macro string:req
local sym
CONST$1 segment
sym db string,0
CONST$1 ends
        exitm <offset sym>
        endm
RMCS struct
union
rEDI dd ?
rDI  dw ?
ends
rESI dd ?
rEBP dd ?
     dd ?
union
rEBX dd ?
struct
rBL  db ?
rBH  db ?
ends
rBX  dw ?
ends
rFlags dw ?
rSSSP dd ?
RMCS ends
lnamestr struc
       dd ?
l_name dd ?
lnamestr ends
        .data
ddOld   df 0
;= 000000000000
wSel    dw 0
;= 0000
rmcs    RMCS <>
;= 0000000000000000000000000000000000000000000000000000
bEnv    db 0
;= 00
tab     label dword
        dd offset cmd1, offset cmd2
;= 1a10400088104000
SIZETAB equ ($ - tab) / 4
        .data?
buf     db 256 dup (?)
;= 256 bytes, 214f05c5
        .code
putstr  proc uses esi pszText:dword
        mov esi,pszText
;= 558bec568b7508
        .while (byte ptr [esi])
;= eb07
          lodsb
;= ac
          mov dl,al
;= 8ad0
          mov ah,2
;= b402
          int 21h
;= cd21
        .endw
;= 803e0075f4
        ret
;= 5ec9c20400
putstr  endp
cmd1    proc public uses ebx esi edi handle:dword, args:ptr
local   rc:dword
local   tmpbuf[64]:byte
local   r:RMCS
        xor eax,eax
;= 558bec83ec6053565733c0
        mov rc,eax
;= 8945fc
        mov r.rEBX,eax
;= 8945b0
        mov r.rBL,al
;= 8845b0
        lea edi,tmpbuf
;= 8d7dbc
        mov ebx,CStr("hello",13,lf)
;= bb0020400068656c6c6f00
;! CStr | warning: too many arguments for `CStr`: expected 1, found 3
;!   = `CStr` takes one argument: `string`
        mov eax,[ebx].lnamestr.l_name
;= 8b4304
        .if (eax == -1) || (wSel & 1)
;= 83f8ff740b66f7050630400001007409
            mov rc,1
;= c745fc01000000
        .elseif (!eax && (bEnv > 'a'))
;= eb250bc07515803d2230400061760c
            @strout <"error",13,10>
;= 6572726f720d0a006806204000e897ffffff
        .else
;= eb0c
            invoke cmd2, ebx, addr tmpbuf, sizeof tmpbuf
;= 6a408d45bc5053e811000000
        .endif
        assume ebx:ptr RMCS
        mov [ebx].rDI,ax
;= 668903
        movzx ecx,[ebx].rBH
;= 0fb64b11
        assume ebx:nothing
        mov eax,rc
;= 8b45fc
        ret
;= 5f5e5bc9c20800
        align 4
cmd1    endp
cmd2    proc c public a1:dword, a2:ptr byte, a3:dword
        .repeat
;= 558bec
            dec a3
;= ff4d10
            .break .if (zero?)
;= 740a
            mov ecx,a2
;= 8b4d0c
        .until (!(byte ptr [ecx]) || carry?)
;= 803900740273f1
        mov eax,dword ptr [ddOld+0]
;= a100304000
        mov cx,word ptr ddOld+4
;= 668b0d04304000
        mov word ptr ss:[esp],ax
;= 66890424
        jmp @F
;= eb00
@@:
        .if (cx)
;= 660bc97402
            jmp @B
;= ebf9
        .endif
        ret
;= c9c3
cmd2    endp
start:
        mov ax,ds
;= 668cd8
        mov es,ax
;= 8ec0
        invoke cmd1, 0, offset buf
;= 68004040006a00e854ffffff
        mov eax,[tab+eax*4]
;= 8b048523304000
        call tab[ecx*4]
;= ff148d23304000
        cmp ecx,SIZETAB
;= 83f902
        .if (edx >= sizeof buf && edx <= 4 * 1000h)
;= 81fa00010000720981fa004000007701
           nop
;= 90
        .endif
        mov ax,4c00h
;= 66b8004c
        int 21h
;= cd21
end start
