;*      Device-independent sound driver pieces, TASM IDEAL with conditional pascal/C names
IDEAL
P386
JUMPS
IFDEF __16__
ptr_t   EQU     <WORD>
ELSE
ptr_t   EQU     <DWORD>
ENDIF
MODEL   MEDIUM, C
;! MEDIUM | warning: memory model taken for 16-bit segments, which this program needs
;!   = write `model medium` before `p386`, which otherwise makes segments of 32 bits
LANG    EQU     <C>
MACRO   ERRMACRO code
        LOCAL   noerr
        test    ax,ax
        jz      noerr
        mov     ax,code
        jmp     @@err
noerr:
ENDM
MACRO   PUSHX
IRP     reg, <ax,bx,cx>
        push    reg
ENDM
ENDM
ID_amplify = 5
ENUM_   = 0
STRUC   amInfo
        ampl    DW ?
        lvl     DB 4 DUP (?)
ENDS
STRUC   Channel
        status  DB ?
        sample  DD ?
        vol     DW 64
        info    amInfo <>
ENDS
FARDATA
bigtab  DB      1024 DUP (?)
;= 1024 bytes, a1663dc5
DATASEG
chans   Channel 8 DUP (<>)
;= 104 bytes, 10073385
voltab  DW      OFFSET vt1, OFFSET vt2, OFFSET vt3
;= 6d006e006f00
pos     DD      ?
;= 00000000
mixpos  EQU     WORD LOW pos
CODESEG
PROC    amplify LANG FAR    USES si di, number : WORD, factor : WORD
LOCAL   amt : WORD, ptr1 : DWORD
        mov     ax,[number]
;= 558bec83ec0656578b4606
        imul    ax,SIZE Channel
;= 6bc00d
        mov     bx,ax
;= 8bd8
        cmp     [chans.status + bx],0
;= 80bf000000
        je      @@ok
;= 7459
        mov     ax,[factor]
;= 8b4608
        mov     [chans.info.ampl + bx],ax
;= 89870700
        mov     [(Channel PTR chans+bx).vol],64
;= c78705004000
        mov     si,OFFSET chans
;= be0000
        mov     [(Channel si).vol],0
;= c744050000
        mov     al,[(Channel si).info.lvl+1]
;= 8a440a
        mov     [amt],ax
;= 8946fe
        les     di,[(Channel si).sample]
;= c47c01
        mov     [WORD PTR ptr1],di
;= 897efa
        mov     [WORD PTR ptr1+2],es
;= 8c46fc
        mov     ax,SEG bigtab
;= b81910
        mov     es,ax
;= 8ec0
        mov     [BYTE es:bigtab+5],1
;= 26c606050001
        call    mixer LANG, [number], [factor]
;= ff7608ff7606e82c0083c404
        ERRMACRO ID_amplify
;= 85c07405b80500eb19
        PUSHX
;= 505351
        add     sp,6
;= 83c406
        mov     bx,[amt]
;= 8b5efe
        and     bx,3
;= 83e303
        shl     bx,1
;= d1e3
        jmp     [voltab+bx]
;= ffa76800
vt1:    inc     ax
;= 40
vt2:    inc     ax
;= 40
vt3:    inc     ax
;= 40
@@ok:   xor     ax,ax
;= 33c0
        jmp     @@done
;= eb03
@@err:  mov     dx,ID_amplify
;= ba0500
@@done: ret
;= 5f5ec9cb
ENDP
PROC    mixer LANG NEAR number : WORD, factor : WORD
        movzx   eax,[number]
;= 558bec660fb74604
        lea     ebx,[eax+eax*4]
;= 67668d1c80
        mov     eax,[dword ds:ebx]
;= 67668b03
        ret
;= c9c3
ENDP
END
