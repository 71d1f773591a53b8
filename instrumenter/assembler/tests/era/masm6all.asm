; MASM 6.1 large model game module
        .MODEL  large, c, nearstack
        .386
        OPTION  CASEMAP:NONE, EXPR32, NOKEYWORD:<mask length>
        OPTION  SCOPED, PROC:PUBLIC
        OPTION  LANGUAGE:C
PBYTE   TYPEDEF FAR PTR BYTE
PPBYTE  TYPEDEF PTR PBYTE
BOOL    TYPEDEF SWORD
RECT    STRUCT  2
left    SWORD   ?
top     SWORD   ?
right   SWORD   320
bottom  SWORD   200
RECT    ENDS
Entity  STRUCT
id      BYTE    ?
        ALIGN   2
box     RECT    <>
link    PBYTE   0
UNION   u
  asWord  WORD ?
  asBytes BYTE 2 DUP (?)
ENDS
Entity  ENDS
Attr    RECORD  blink:1, back:3, intense:1, fore:3
memcpy  PROTO   C :PBYTE, :PBYTE, :WORD
Blit    PROTO   FAR PASCAL dst:PBYTE, x:SWORD, y:SWORD, flags:WORD
rnd     PROTO   NEAR
sum     PROTO   C n:WORD, args:VARARG
mydata  TEXTEQU <data>
count   TEXTEQU %(3+4)
lit     TEXTEQU <!<lit!>>
EXTERNDEF shared:WORD
EXTERN  pal:FAR
        .DATA
ents    Entity  10 DUP ({})
;= 160 bytes, f92e6b05
one     Entity  {1, {1,2,3,4}, 0, {5}}
;= 01000100020003000400000000000500
two     Entity  <2, <,,9>>
;= 0200000000000900c800000000000000
attr1   Attr    {1, 2, 0, 7}
;= a7
shared  WORD    count
;= 0700
ptrs    PBYTE   ents, one
;= 00002110a0002110
neg1    SDWORD  -1
;= ffffffff
str1    BYTE    "a", "bc", 0
;= 61626300
        BYTE    @CatStr(<">,<xyz>,<">)
;= 78797a
len1    WORD    LENGTHOF ents, SIZEOF ents, TYPE ents, SIZEOF str1
;= 0a00a00010000400
        .CODE
rnd     PROC    NEAR USES bx
        mov     ax,shared
;= 53a1c100
        .IF     !ax
;= 0bc07501
        inc     ax
;= 40
        .ENDIF
        ret
;= 5bc3
rnd     ENDP
Blit    PROC    FAR PASCAL USES ds si di, dst:PBYTE, x:SWORD, y:SWORD, flags:WORD
        LOCAL   r:RECT, tmp[4]:BYTE, pp:PBYTE
        les     di,dst
;= 558bec83ec101e5657c47e0c
        mov     ax,x
;= 8b460a
        .IF     ax < r.left || (sword ptr ax >= r.right)
;= 3b46f87c053b46fc7c04
        jmp     done
;= eb73
        .ELSEIF y < 0
;= eb09837e08007d03
        neg     y
;= f75e08
        .ENDIF
        mov     tmp[0],al
;= 8846f4
        mov     [tmp+1],ah
;= 8866f5
        mov     WORD PTR pp[2],es
;= 8c46f2
        .WHILE  cx > 0 && !(flags & 1)
;= eb05
          .CONTINUE .IF (al == 'x')
;= 3c787401
          dec   cx
;= 49
        .ENDW
;= 83f9007607f74606010074ef
        .REPEAT
          lodsb
;= ac
          stosb
;= aa
        .UNTIL  al == 0 || ZERO?
;= 0ac0740275f8
        INVOKE  memcpy, dst, ADDR ents, SIZEOF Entity
;= 6a10682110b800005066ff760c9a0000000083c40a
        INVOKE  memcpy, ds::si, es::di, cx
;= 5106571e569a0000000083c40a
        INVOKE  sum, 2, ax, eax, 5
;= 6a056650506a020ee81e0083c40a
        INVOKE  rnd
;= e878ff
        INVOKE  Blit, ADDR one, -5, SWORD PTR [bx], 0ffffh
;= 682110b8a000506afbff376aff0ee872ff
done:   ret
;= 5f5e1fc9ca0a00
Blit    ENDP
cubic   MACRO   x:REQ, y:=<1>, rest:VARARG
        LOCAL   t
        t = x * y
        FOR     a, <rest>
          t = t + a
        ENDM
        EXITM   %t
        ENDM
sum     PROC    C n:WORD, args:VARARG
        mov     ax,cubic(2,3,4,5)
;= 558becb80f00
        mov     ax,cubic(2)
;= b80200
        lea     bx,args
;= 8d5e08
        xor     ax,ax
;= 33c0
        mov     cx,n
;= 8b4e06
@@:     add     ax,[bx]
;= 0307
        add     bx,2
;= 83c302
        loop    @B
;= e2f9
        mov     dl,MASK back
;= b270
        ASSUME  bx:PTR Entity, si:NOTHING
        mov     [bx].id,1
;= c60701
        mov     ax,[bx].box.top
;= 8b4704
        mov     [bx].u.asBytes[1],al
;= 88470f
        ASSUME  bx:NOTHING
        mov     al,(Entity PTR [si]).id
;= 8a04
        mov     ax,ents[SIZEOF Entity].box.left
;= a11200
        mov     ax,TYPE Entity.box
;= b80800
        mov     dx,Entity.link
;= ba0a00
        mov     eax,DWORD PTR one.link
;= 66a1aa00
        les     bx,one.link
;= c41eaa00
        .IF     (bx == 5) && carry?
;= 83fb0575037301
        nop
;= 90
        .ENDIF
        ret
;= c9cb
sum     ENDP
%       ECHO    count is: count
        FOR     r, <ax,bx,cx>
          push  r
        ENDM
;= 505351
        FORC    c, <AB>
          BYTE  "&c"
        ENDM
;= 4142
i       = 0
        WHILE   i LT 4
          WORD  i * i
i       = i + 1
        ENDM
;= 0000010004000900
        REPEAT  2
          nop
        ENDM
;= 9090
        IF      (OPATTR ax) AND 10h
          nop
;= 90
        ENDIF
        IF      @InStr(1,<hello>,<l>) EQ 3
          BYTE  @SizeStr(<hello>)
;= 05
        ENDIF
        BYTE    "@SubStr(<hello>,2,3)"
;= 40537562537472283c68656c6c6f3e2c322c3329
        .ERRNZ  SIZEOF RECT - 8
        .ERRNDEF Entity
        END
