        TITLE   Sprite routines, callable from Borland C++ in the large model
        IDEAL
        MODEL   LARGE, C
        P386N
        LOCALS

STRUC   Sprite
        width   DW ?
        height  DW ?
        xhot    DW 0
        yhot    DW 0
        data    DD ?
ENDS    Sprite

UNION   Pair
        STRUC
          lo    DB ?
          hi    DB ?
        ENDS
        w       DW ?
ENDS    Pair

SCREENW = 320
CLIPX   EQU <SCREENW-1>

        DATASEG
        GLOBAL  C clipleft:WORD
clipleft DW     0
;= 0000
ytable  DW      200 DUP (?)
;= 400 bytes, e50a0045
pair    Pair    <>
;= 0000
colors  DB      16 DUP (0,1,2,3)
;= 00010203000102030001020300010203000102030001020300010203000102030001020300010203000102030001020300010203000102030001020300010203
string  DB      "Out of memory",0
;= 4f7574206f66206d656d6f727900

        UDATASEG
temp    DD      ?
;= 00000000
backbuf DB      64 DUP (?)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000

        CODESEG
        PUBLIC  C putsprite, C initable

PROC    C initable FAR
USES    di
        mov     cx,200
;= 57b9c800
        mov     ax,@data
;= b81a10
        mov     es,ax
;= 8ec0
        mov     di,OFFSET ytable
;= bf0200
        xor     ax,ax
;= 33c0
@@loop: stosw
;= ab
        add     ax,SCREENW
;= 054001
        loop    @@loop
;= e2fa
        ret
;= 5fcb
ENDP    initable

PROC    C putsprite FAR
ARG     @@spr:DWORD, @@x:WORD, @@y:WORD
LOCAL   @@w:WORD, @@h:WORD, @@line:BYTE:8 = LocalSize
USES    ds,si,di
        mov     ax,0A000h
;= 558bec83ec0c1e5657b800a0
        mov     es,ax
;= 8ec0
        lds     si,[@@spr]
;= c57606
        mov     ax,[(Sprite si).width]
;= 8b04
        mov     [@@w],ax
;= 8946fe
        mov     ax,[(Sprite PTR ds:si).height]
;= 8b4402
        mov     [@@h],ax
;= 8946fc
        mov     ax,[@@x]
;= 8b460a
        sub     ax,[(Sprite si).xhot]
;= 2b4404
        cmp     ax,CLIPX
;= 3d3f01
        ja      @@done
;= 7728
        mov     di,[@@y]
;= 8b7e0c
        imul    di,SCREENW
;= 69ff4001
        add     di,ax
;= 03f8
        lds     si,[(Sprite si).data]
;= c57408
        mov     dx,SCREENW
;= ba4001
        sub     dx,[@@w]
;= 2b56fe
@@row:  mov     cx,[@@w]
;= 8b4efe
@@pix:  lodsb
;= ac
        or      al,al
;= 0ac0
        jz      SHORT @@skip
;= 7403
        mov     [es:di],al
;= 268805
@@skip: inc     di
;= 47
        dec     cx
;= 49
        jnz     @@pix
;= 75f4
        add     di,dx
;= 03fa
        dec     [@@h]
;= ff4efc
        jnz     @@row
;= 75ea
@@done: ret
;= 5f5e1fc9cb
ENDP    putsprite

PROC    swap NEAR
        mov     [pair.lo],al
;= a29201
        mov     [pair.hi],ah
;= 88269301
        mov     ax,[pair.w]
;= a19201
        mov     [BYTE PTR cs:@@save],al
;= 2ea29600
        mov     bx,OFFSET backbuf
;= bbf401
        mov     [WORD LOW temp],ax
;= a3f001
        mov     [WORD HIGH temp],dx
;= 8916f201
        test    [BYTE ss:bp-2],80h
;= f646fe80
        call    putsprite C,0,0,5,10
;= 6a0a6a056a006a000ee884ff83c408
        ret
;= c3
@@save  DB      ?
;= 00
ENDP    swap
        END
