ideal
model tiny
p386n
locals @@
codeseg
startupcode
        mov     ax,13h
;= b81300
        int     10h
;= cd10
        mov     ax,[word ptr ds:2ch]
;= a12c00
        mov     bx,offset endofcode+15
;= bb9a01
        shr     bx,4
;= c1eb04
        mov     ah,4ah
;= b44a
        int     21h
;= cd21
        mov     ax,seg start_seg
;= b80010
        finit
;= 9bdbe3
        xor     bx,bx
;= 33db
@@frame:
        mov     [angle],bx
;= 891e7d01
        fild    [angle]
;= df067d01
        fmul    [scale]
;= d80e8301
        fsincos
;= d9fb
        fmul    [k256]
;= d80e8701
        fistp   [dxcos]
;= df1e7f01
        fmul    [k256]
;= d80e8701
        fistp   [dxsin]
;= df1e8101
        mov     ax,0a000h
;= b800a0
        mov     es,ax
;= 8ec0
        xor     di,di
;= 33ff
        mov     cx,[dxcos]
;= 8b0e7f01
        mov     dx,[dxsin]
;= 8b168101
        mov     bp,200
;= bdc800
label @@row near
        push    cx dx
;= 5152
        mov     si,320
;= be4001
@@pixel:
        mov     al,ch
;= 8ac5
        xor     al,dh
;= 32c6
        stosb
;= aa
        add     cx,[dxcos]
;= 030e7f01
        add     dx,[dxsin]
;= 03168101
        dec     si
;= 4e
        jnz     @@pixel
;= 75f0
        pop     dx cx
;= 5a59
        sub     cx,[dxsin]
;= 2b0e8101
        add     dx,[dxcos]
;= 03167f01
        dec     bp
;= 4d
        jnz     @@row
;= 75de
        inc     bx
;= 43
        in      al,60h
;= e460
        cmp     al,1
;= 3c01
        jne     @@frame
;= 75a7
        mov     ax,3
;= b80300
        int     10h
;= cd10
exitcode 0
;= b8004ccd21
angle   dw      0
;= 0000
dxcos   dw      ?
;= 0000
dxsin   dw      ?
;= 0000
scale   dd      0.0174533
;= 39fa8e3c
k256    dd      256.0
;= 00008043
label start_seg byte
label endofcode byte
end
