        .386
        .MODEL  FLAT
SCREENWIDTH     EQU     320
SCREENHEIGHT    EQU     200
EXTRN   _dc_colormap:DWORD, _dc_x:DWORD, _dc_yl:DWORD
EXTRN   _dc_yh:DWORD, _dc_iscale:DWORD, _ylookup:DWORD
scalelabel MACRO n
        dd      vscale&n
ENDM
scalecol MACRO n
vscale&n:
        shld    ebx,ecx,7
        mov     [edi-(n-1)*SCREENWIDTH],al
        mov     al,[esi+ebx]
        add     ecx,ebp
        mov     al,[eax]
ENDM
        .DATA
LOOPCOUNT dd    0
;= 00000000
pixelcount dd   0
;= 00000000
        ALIGN   4
scalecalls LABEL DWORD
LINE    =       0
        REPT    8+1
        scalelabel %LINE
LINE    =       LINE+1
        ENDM
;= 261140001911400008114000f7104000e6104000d5104000c4104000b3104000a2104000
mapcalls LABEL  DWORD
LINE    =       0
        REPT    4
MAPLAB  MACRO   x
        DD      hmap&x
        ENDM
        MAPLAB  %LINE
LINE    =       LINE+1
        ENDM
;= 28114000281140002811400029114000
        .CODE
PROC    R_DrawColumn_
PUBLIC  R_DrawColumn_
        PUSHR   MACRO
        pushad
        ENDM
        PUSHR
;= 60
        mov     ebp,[_dc_yl]
;= 8b2d00000000
        mov     edi,[_ylookup+ebp*4]
;= 8b3cad00000000
        mov     ebx,[_dc_x]
;= 8b1d00000000
        add     edi,ebx
;= 03fb
        mov     eax,[_dc_yh]
;= a100000000
        inc     eax
;= 40
        sub     eax,ebp
;= 2bc5
        mov     [pixelcount],eax
;= a304204000
        js      done
;= 787b
        shr     eax,1
;= d1e8
        mov     [LOOPCOUNT],eax
;= a300204000
        mov     ecx,[_dc_iscale]
;= 8b0d00000000
        mov     eax,OFFSET patch1+2
;= b86d104000
        mov     [eax],ecx
;= 8908
        mov     eax,OFFSET patch2
;= b876104000
        mov     DWORD PTR [eax+2],ecx
;= 894802
        mov     DWORD PTR [patch1+2],ecx
;= 890d6d104000
        mov     DWORD PTR cs:[patch2+2],ecx
;= 2e890d78104000
        mov     ds:[0a0000h],al
;= a200000a00
        mov     al,ds:[edi+SCREENWIDTH*2]
;= 8a8780020000
        mov     eax,[_dc_colormap]
;= a100000000
        test    [pixelcount],1
;= f7050420400001000000
        jz      short checkdone
;= 741c
        nop
;= 90
loop1:
patch1:
        add     ebp,12345678h
;= 81c578563412
        mov     al,[esi+ecx]
;= 8a0431
        mov     [edi],bl
;= 881f
patch2:
        add     ebp,12345678h
;= 81c578563412
        mov     bl,[eax]
;= 8a18
        dec     [LOOPCOUNT]
;= ff0d00204000
        jnz     loop1
;= 75e5
checkdone:
        call    [scalecalls+4+eax*4]
;= ff14850c204000
        jmp     [mapcalls+ebx*4]
;= ff249d2c204000
        align   16
;= 909090909090909090909090
done:   popad
;= 61
        ret
;= c3
ENDP
LINE    =       8
        REPT    8
        scalecol %LINE
LINE    =       LINE-1
        ENDM
;= 132 bytes, 96b28ded
vscale0:
        mov     [edi],al
;= 8807
hmap0:
hmap1:
hmap2:  nop
;= 90
hmap3:  ret
;= c3
END
