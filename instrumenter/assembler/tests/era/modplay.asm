; MOD player mixer core. TASM, flat DOS extender (c) nobody
        .486p
        model   use32 flat,syscall
        locals
        .data?
align 4
mixbuf  dd 4096 dup (?)
;= +16384
        .data
align 4
VoiceS  struc
vptr    dd ?
vlen    dd ?
vfrac   dw ?
vstep   dd ?
vvol    db ?,?
vnext   dd ?
VoiceS  ends
allv    VoiceS 32 dup (?)
;= 640 bytes, 8372a1c5
numv    dd 4
;= 04000000
voltab  dd 65 dup (0)
;= 260 bytes, d30ae5e5
periods dw 856,808,762,720,678,640,604,570,538,508,480,453
;= 58032803fa02d002a60280025c023a021a02fc01e001c501
        dw 428,404,381,360,339,320,302,285,269,254,240,226
;= ac0194017d016801530140012e011d010d01fe00f000e200
perend  = $
nper    = (perend-periods)/2
effects dd offset arp, offset porta, 14 dup (offset noeff)
;= 641040006d1040007010400070104000701040007010400070104000701040007010400070104000701040007010400070104000701040007010400070104000
        .code
public  mix, noeff
mix     proc near uses ebx esi edi ebp, count:dword, dest:dword
        local left:dword, tmp:dword
        mov eax,[count]
;= 558bec83ec08535657558b4508
        mov [left],eax
;= 8945fc
        mov edi,[dest]
;= 8b7d0c
        mov ebx,offset allv
;= bb00604000
        mov ecx,[numv]
;= 8b0d80624000
@@vl:   push ecx
;= 51
        movzx eax,[(VoiceS ptr ebx).vvol]
;= 0fb6430e
        test eax,eax
;= 85c0
        jz @@nextv
;= 7430
        mov edx,[voltab+eax*4]
;= 8b148584624000
        mov esi,[ebx].vptr
;= 8b33
        mov cx,[ebx.vfrac]
;= 668b4b08
        mov ebp,[ebx+vstep]
;= 8b6b0a
        cmp [ebx].vlen,0
;= 837b0400
        je short @@nextv
;= 741a
@@sl:   movzx eax,byte ptr [esi]
;= 0fb606
        mov eax,[edx+eax*4]
;= 8b0482
        add [edi],eax
;= 0107
        add edi,4
;= 83c704
        add cx,bp
;= 6603cd
        adc esi,0
;= 83d600
        dec dword ptr [left]
;= ff4dfc
        jnz @@sl
;= 75ea
        mov [ebx].vfrac,cx
;= 66894b08
@@nextv:
        add ebx,size VoiceS
;= 83c314
        pop ecx
;= 59
        dec ecx
;= 49
        jnz @@vl
;= 75c0
        ret
;= 5d5f5e5bc9c3
mix     endp
arp:    and al,0fh
;= 240f
        jmp [effects+eax*4]
;= ff2485b8634000
porta:  sub [ebx].vstep,eax
;= 29430a
noeff:  ret
;= c3
period  proc near
        mov esi,offset periods
;= be88634000
        mov ecx,nper
;= b918000000
@@1:    cmp ax,[esi]
;= 663b06
        jae @@2
;= 7305
        add esi,2
;= 83c602
        loop @@1
;= e2f6
@@2:    sub esi,offset periods
;= 81ee88634000
        shr esi,1
;= d1ee
        mov eax,esi
;= 8bc6
        ret
;= c3
period  endp
        end
