; Multiple precision arithmetic, 16-bit, near data. For MASM 5.1, high level language support.
        .MODEL  SMALL, PASCAL
        .CODE
IF1
%OUT    Assembling bignum
ENDIF
        PUBLIC  BigAdd, BigMulSmall, BigCompare

;; result := a + b, each of n words
BigAdd  PROC    USES si di, result:NEAR PTR WORD, a:NEAR PTR, b:NEAR PTR, n:WORD
        mov     si,a
;= 558bec56578b7608
        mov     bx,b
;= 8b5e06
        mov     di,result
;= 8b7e0a
        mov     cx,n
;= 8b4e04
        clc
;= f8
        jcxz    done
;= e30b
next:   lodsw
;= ad
        adc     ax,[bx]
;= 1307
        mov     [di],ax
;= 8905
        inc     bx
;= 43
        inc     bx
;= 43
        inc     di
;= 47
        inc     di
;= 47
        loop    next
;= e2f5
done:   mov     ax,0
;= b80000
        rcl     ax,1
;= d1d0
        ret
;= 5f5e5dc20800
BigAdd  ENDP

BigMulSmall PROC USES di, result:WORD, n:WORD, factor:WORD
        LOCAL   carry:WORD
        mov     carry,0
;= 558bec83ec0257c746fe0000
        mov     di,result
;= 8b7e08
        mov     cx,n
;= 8b4e06
@@:     mov     ax,[di]
;= 8b05
        mul     factor
;= f76604
        add     ax,carry
;= 0346fe
        adc     dx,0
;= 83d200
        mov     [di],ax
;= 8905
        mov     carry,dx
;= 8956fe
        add     di,2
;= 83c702
        loop    @B
;= e2eb
        mov     ax,carry
;= 8b46fe
        ret
;= 5f8be55dc20600
BigMulSmall ENDP

BigCompare PROC a:WORD, b:WORD, n:WORD
        push    si
;= 558bec56
        push    di
;= 57
        std
;= fd
        mov     cx,n
;= 8b4e04
        mov     si,cx
;= 8bf1
        dec     si
;= 4e
        shl     si,1
;= d1e6
        mov     di,si
;= 8bfe
        add     si,a
;= 037608
        add     di,b
;= 037e06
        push    ds
;= 1e
        pop     es
;= 07
        repe    cmpsw
;= f3a7
        mov     ax,0
;= b80000
        je      equal
;= 7407
        mov     ax,1
;= b80100
        ja      @F
;= 7702
        neg     ax
;= f7d8
@@:
equal:  cld
;= fc
        pop     di
;= 5f
        pop     si
;= 5e
        ret
;= 5dc20600
BigCompare ENDP
        END
