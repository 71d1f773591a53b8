; Fills a monochrome polygon from a list of horizontal lines in mode X.
; C near-callable as:
;    void DrawHorizontalLineList(struct HLineList * HLines, int Color);
; All assembly code tested with TASM and MASM 5.1.

SCREEN_SEGMENT  equ     0a000h
SCREEN_WIDTH    equ     80              ;width of screen in bytes
SC_INDEX        equ     03c4h           ;Sequence Controller Index register port
MAP_MASK        equ     2               ;index in SC of Map Mask register

HLine   struc
XStart  dw      ?       ;X coordinate of leftmost pixel in line
XEnd    dw      ?       ;X coordinate of rightmost pixel in line
HLine   ends

HLineList struc
Lngth   dw      ?       ;# of horizontal lines
YStart  dw      ?       ;Y coordinate of topmost line
HLinePtr dw     ?       ;pointer to list of horz lines
HLineList ends

Parms   struc
        dw      2 dup(?) ;return address & pushed BP
HLineListPtr dw ?       ;pointer to HLineList structure
Color   dw      ?       ;color with which to fill
Parms   ends

        .model  small
        .data
; Plane masks for clipping left and right edges of rectangle.
LeftClipPlaneMask       db      00fh,00eh,00ch,008h
;= 0f0e0c08
RightClipPlaneMask      db      00fh,001h,003h,007h
;= 0f010307
        .code
        align   2
        public  _DrawHorizontalLineList
_DrawHorizontalLineList proc    near
        push    bp              ;preserve caller's stack frame
;= 55
        mov     bp,sp           ;point to our stack frame
;= 8bec
        push    si              ;preserve caller's register variables
;= 56
        push    di
;= 57
        cld                     ;make string instructions inc pointers
;= fc

        mov     dx,SC_INDEX
;= bac403
        mov     al,MAP_MASK
;= b002
        out     dx,al           ;point SC Index to the Map Mask
;= ee
        mov     ax,SCREEN_SEGMENT
;= b800a0
        mov     es,ax           ;point ES to display memory for REP STOS
;= 8ec0

        mov     si,[bp+HLineListPtr] ;point to the line list
;= 8b7604
        mov     ax,SCREEN_WIDTH
;= b85000
        mul     [si+YStart]     ;point to the start of the first scan line
;= f76402
        mov     dx,ax
;= 8bd0
        mov     bx,[si+HLinePtr]
;= 8b5c04
        mov     si,[si].Lngth
;= 8b34
        and     si,si
;= 23f6
        jz      FillDone
;= 7443
        mov     ah,byte ptr [bp+Color]
;= 8a6606
        mov     al,ah
;= 8ac4
FillLoop:
        push    ax
;= 50
        mov     di,[bx+XStart]
;= 8b3f
        mov     cx,[bx+XEnd]
;= 8b4f02
        cmp     cx,di
;= 3bcf
        js      LineFillDone    ;skip if negative width
;= 782a
        push    bx
;= 53
        mov     bx,di
;= 8bdf
        and     bx,0003h
;= 83e303
        mov     ch,LeftClipPlaneMask[bx] ;set left edge plane mask
;= 8aaf0000
        mov     bx,cx
;= 8bd9
        and     bx,0003h
;= 83e303
        mov     cl,RightClipPlaneMask[bx]
;= 8a8f0400
        pop     bx
;= 5b
        mov     cx,[bx].XEnd
;= 8b4f02
        shr     di,1
;= d1ef
        shr     di,1
;= d1ef
        add     di,dx
;= 03fa
        sub     cx,[bx+XStart]
;= 2b0f
        jnz     MaskSet
;= 7501
        stosb
;= aa
MaskSet:
        shr     cx,1
;= d1e9
        rep     stosw
;= f3ab
        adc     cx,cx
;= 13c9
        rep     stosb
;= f3aa
LineFillDone:
        pop     ax
;= 58
        add     dx,SCREEN_WIDTH
;= 83c250
        add     bx,size HLine   ;point to the next line descriptor
;= 83c304
        dec     si
;= 4e
        jnz     FillLoop
;= 75c2
FillDone:
        pop     di              ;restore caller's register variables
;= 5f
        pop     si
;= 5e
        pop     bp              ;restore caller's stack frame
;= 5d
        ret
;= c3
_DrawHorizontalLineList endp
        end
