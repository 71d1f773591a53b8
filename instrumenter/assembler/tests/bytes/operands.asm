; Operands and data as MASM 5 and TASM take them, one line each.
        .model small
        .386
        .stack 100h
        .data
a       dw 1,2,3
;= 010002000300
b       db 'abc',0
;= 61626300
c1      dd 12345678h
;= 78563412
d1      dq 1.5
;= 000000000000f83f
e1      dt 1.5
;= 00000000000000c0ff3f
f1      df ?
;= 000000000000
arr     dw 10 dup (?)
;= 0000000000000000000000000000000000000000
str1    db "hello", 13, 10, '$'
;= 68656c6c6f0d0a24
strlen  equ $-str1
len2    =   $ - str1
x1      db 5 dup (1, 2 dup (3))
;= 010303010303010303010303010303
tbl     dw offset l1, offset l2
;= 0000b601
        dw l1, l2
;= 0000b601
        dd l1
;= 00001010
        dd dgroup:a
;= 00003010
        dw dgroup
;= 3010
        dw seg a
;= 3010
        db high 1234h, low 1234h
;= 1234
        dw -1, not 0, 0ffffh
;= ffffffffffff
        db 'a'+1, 'z'-'a', "A" or 20h
;= 621961
        db (1 shl 3) or (2 shl 4)
;= 28
        dw 'ab', "ba"
;= 62616162
        db 10q, 17o, 101b, 0fh, 99d
;= 080f050f63
        dw 1,2, 3 , 4  ; comment
;= 0100020003000400
        db ?
;= 00
        dw (offset l2 - offset l1)
;= b601
        dw $, $+2
;= 85008700
        dd 3f800000r
;= 0000803f
        dd 1.0e10, -2.5, +3.
;= f9021550000020c000004040
        dw arr+2, arr[4]
;= 28002a00
        dw size arr, length arr, type arr
;= 14000a000200
tab2    label byte
        dw 5
;= 0500
w1      equ word ptr b
w2      equ <byte ptr a>
mask1   equ 0fh
        .code
l1:     mov ax, word ptr b
;= a10600
        mov ax, w1
;= a10600
        mov al, w2
;= a00000
        mov bl, b[1]
;= 8a1e0700
        mov bl, b[bx]
;= 8a9f0600
        mov bl, [b+bx]
;= 8a9f0600
        mov bl, [bx+b]
;= 8a9f0600
        mov bl, b[bx][si]
;= 8a980600
        mov bl, [bx][si]
;= 8a18
        mov bl, [bx+si+1]
;= 8a5801
        mov bl, 1[bx]
;= 8a5f01
        mov bl, 1[bx][di]
;= 8a5901
        mov bl, b+1
;= 8a1e0700
        mov bl, b-1[si]
;= 8a9c0500
        mov ax, [bx+2*3]
;= 8b4706
        mov ax, es:[di]
;= 268b05
        mov ax, word ptr es:[di+2]
;= 268b4502
        mov ax, es:word ptr [di]
;= 268b05
        mov es:[bx], al
;= 268807
        mov es:[0], ax
;= 26a30000
        mov ax, ds:[80h]
;= a18000
        mov al, ds:80h
;= a08000
        mov byte ptr ds:[5dh], 0
;= c6065d0000
        mov ax, cs:a
;= 2ea10000
        mov ax, ss:[bp]
;= 8b4600
        mov ax, [ebx+ecx*4]
;= 678b048b
        mov ax, a[ebx*2]
;= 678b045d00000000
        mov eax, c1[ebx*4+4]
;= 67668b049d0e000000
        lea ax, [bx+si]
;= 8d00
        lea bx, a
;= 8d1e0000
        lea ax, ds:[5]
;= 8d060500
        mov dx, offset b
;= ba0600
        mov dx, offset b+1
;= ba0700
        mov dx, offset dgroup:b
;= ba0600
        mov ax, seg b
;= b83010
        mov ax, dgroup
;= b83010
        mov ax, @data
;= b83010
        mov ax, @code
;= b81010
        mov ax, _data
;= b83010
        push ax
;= 50
        push 5
;= 6a05
        push offset b
;= 680600
        push word ptr [bx]
;= ff37
        push dword ptr c1
;= 66ff360a00
        push c1
;= 66ff360a00
        pop [a]
;= 8f060000
        pop word ptr es:[bx]
;= 268f07
        push es
;= 06
        call l2
;= e80c01
        call near ptr l2
;= e80901
        call far ptr l2
;= 9ab6011010
        call word ptr tbl[bx]
;= ff975100
        call tbl[bx]
;= ff975100
        call dword ptr c1
;= ff1e0a00
        call c1
;= ff1e0a00
        call bx
;= ffd3
        call [bx]
;= ff17
        jmp l2
;= e9ed00
        jmp near ptr l2
;= e9ea00
        jmp tbl[si]
;= ffa45100
        jmp word ptr [bx]
;= ff27
        jmp dword ptr [bx]
;= ff2f
        jmp $
;= ebfe
        jmp $+5
;= eb03
        jne $-2
;= 75fc
        int 21h
;= cd21
        int 3
;= cc
        ret
;= c3
        ret 4
;= c20400
        retf
;= cb
        retn
;= c3
        iret
;= cf
        inc a
;= ff060000
        inc byte ptr [si]
;= fe04
        dec w2
;= fe0e0000
        neg word ptr [bx]
;= f71f
        mul a
;= f7260000
        imul bx
;= f7eb
        div b
;= f6360600
        shl ax, 1
;= d1e0
        shl al, cl
;= d2e0
        rol a, 1
;= d1060000
        test al, 1
;= a801
        test a, 8000h
;= f70600000080
        test w1, 1
;= f70606000100
        and a, not 1
;= 83260000fe
        or b, mask1
;= 800e06000f
        xor ax, ax
;= 33c0
        cmp b, 'x'
;= 803e060078
        cmp byte ptr [bx], 0
;= 803f00
        cmp ax, strlen
;= 83f808
        xchg ax, bx
;= 93
        xchg a, ax
;= 87060000
        in al, dx
;= ec
        in ax, 60h
;= e560
        out 20h, al
;= e620
        cbw
;= 98
        cwd
;= 99
        lodsb
;= ac
        rep movsb
;= f3a4
        rep stosw
;= f3ab
        repe cmpsb
;= f3a6
        repne scasb
;= f2ae
        rep movsw
;= f3a5
        lock inc a
;= f0ff060000
        fld d1
;= dd060e00
        fld e1
;= db2e1600
        fld dword ptr c1
;= d9060a00
        fadd st, st(1)
;= d8c1
        fadd
;= dec1
        faddp st(1), st
;= dec1
        fild a
;= df060000
        fistp c1
;= db1e0a00
        fstp st(0)
;= ddd8
        fcom
;= d8d1
        fstsw ax
;= 9bdfe0
        fnstsw ax
;= dfe0
        fldcw a
;= d92e0000
        finit
;= 9bdbe3
        sahf
;= 9e
        mov cr0, eax
;= 0f22c0
        mov eax, cr0
;= 0f20c0
        mov al, byte ptr c1+2
;= a00c00
        mov ax, word ptr c1+2
;= a10c00
        mov ax, word ptr c1[2]
;= a10c00
        mov word ptr [c1+2], es
;= 8c060c00
        les bx, c1
;= c41e0a00
        lds si, dword ptr [bx]
;= c537
        bound ax, c1
;= 62060a00
        enter 4, 0
;= c8040000
        leave
;= c9
        movsx eax, al
;= 660fbec0
        movzx ecx, w1
;= 660fb70e0600
        bsf ax, bx
;= 0fbcc3
        shld ax, bx, 4
;= 0fa4d804
        shrd eax, edx, cl
;= 660fadd0
        cmpxchg ax, bx
;= 0fb1d8
        rdtsc
;= 0f31
        cpuid
;= 0fa2
        wbinvd
;= 0f09
        db 66h
;= 66
        nop
;= 90
        hlt
;= f4
        lahf
;= 9f
        xlat
;= d7
        aaa
;= 37
        aam
;= d40a
l2:     ret
;= c3
        mov ax, (strlen + 1) * 2
;= b81200
        mov ax, strlen / 2 mod 3
;= b80100
        mov ax, 5 gt 3
;= b8ffff
        mov al, 'A'
;= b041
        mov ax, 'AB'
;= b84241
        mov ax, "AB"
;= b84241
        mov al, '"'
;= b022
        mov al, "'"
;= b027
        mov al, ''''
;= b027
        mov bx, type arr
;= bb0200
        mov cx, length arr
;= b90a00
        mov cx, lengthof arr
;= b90a00
        mov cx, sizeof arr
;= b91400
        mov ax, low 1234h
;= b83400
        mov ah, high 1234h
;= b412
        mov al, low offset b
;= b006
        if strlen gt 5
        nop
;= 90
        elseif strlen eq 5
        else
        endif
        ifdef foo
        endif
        even
        align 4
;= 9090
        org $+10
        public l1, l2
        extrn ext1:near, ext2:far, ext3:word, ext4:abs
        call ext1
;= e80000
        call ext2
;= 9a00000000
        mov ax, ext3
;= a10000
        end l1
;---
        .model small
        .data
tbl     dw 5 dup (0)
;= 00000000000000000000
vec     dd 0
;= 00000000
w       dw 0
;= 0000
s_      db "it's", 'say "x"', 0
;= 697427737361792022782200
        .code
start:  mov ax,[bp]+4
;= 8b4604
        mov ax,[bp][4]
;= 8b4604
        mov ax,4[bp]
;= 8b4604
        mov ax,[bp]+[si]
;= 8b02
        mov al,[si]+[bx]+1
;= 8a4001
        mov al,byte ptr [si]+[bx]
;= 8a00
        mov ax,word ptr [bp]+2
;= 8b4602
        mov cx,ds:word ptr [si]
;= 8b0c
        call cs:[bx+t2]
;= 2eff977b01
        jmp cs:t2[bx]
;= 2effa77b01
        jmp dword ptr cs:[t3]
;= 2eff2e7f01
        jmp word ptr cs:t2[si]
;= 2effa47b01
        mov al,';'
;= b03b
        cmp al,"'" ; it's a comment
;= 3c27
lab :   nop
;= 90
l1: l2: nop
;= 90
foo:    db 5
;= 05
@@:     db 0
;= 00
        jmp @b
;= ebfd
        mov ax,offset tbl+2*2
;= b80400
        mov ax,offset tbl[4]
;= b80400
        mov ax,offset tbl[2*2]+1
;= b80500
        mov ax,not (1 or 2)
;= b8fcff
        mov ax,1 or 2 and 3 xor 4
;= b80700
        mov ax,(5 eq 5) and 1
;= b80100
        mov ax,length tbl * size tbl
;= b83200
        mov dx,word ptr vec+2
;= 8b160c00
        mov dx,word ptr vec[2]
;= 8b160c00
        mov word ptr vec,offset foo
;= c7060a002f00
        mov word ptr [vec+2],seg foo
;= c7060c001010
        mov word ptr [vec+2],cs
;= 8c0e0c00
        mov word ptr es:[bx].vec,5
;= 26c7870a000500
        lea si,tbl[bx+2]
;= 8db70200
        lea di,[bp-10h]
;= 8d7ef0
        lea di,[bp+di-2*3+1]
;= 8d7bfb
        cmp word ptr [si-2],'ba'
;= 817cfe6162
        mov ax,w+0
;= a10e00
        mov ax,w[0]
;= a10e00
        sub ax,ax
;= 2bc0
        add sp,2
;= 83c402
        add sp,-2
;= 83c4fe
        add ax,-2
;= 83c0fe
        add ax,0fffeh
;= 83c0fe
        add bx,0fffeh
;= 83c3fe
        and bx,0ff00h
;= 81e300ff
        and bl,0f0h
;= 80e3f0
        add byte ptr [bx],-1
;= 8007ff
        add word ptr [bx],-1
;= 8307ff
        sub word ptr [bx],80h
;= 812f8000
        mov byte ptr [bx],-1
;= c607ff
        adc dx,0
;= 83d200
        sbb dx,0
;= 83da00
        test bx,1
;= f7c30100
        test byte ptr [bx],80h
;= f60780
        xchg al,[bx]
;= 8607
        xchg ah,al
;= 86e0
        push cs
;= 0e
        pop es
;= 07
        pushf
;= 9c
        popf
;= 9d
        shl word ptr [bx],1
;= d127
        ror byte ptr [bx],cl
;= d20f
        rcl ax,1
;= d1d0
        out 42h,al
;= e642
        in al,61h
;= e461
        int 10h
;= cd10
        jb l1
;= 7303e967ff
        jnc l1
;= 7203e962ff
        jp l1
;= 7b03e95dff
        jpe l1
;= 7b03e958ff
        clc
;= f8
        cmc
;= f5
        std
;= fd
        sti
;= fb
        into
;= ce
        daa
;= 27
        das
;= 2f
        aas
;= 3f
        aad
;= d50a
        cwd
;= 99
        lds bx,vec
;= c51e0a00
        les di,[bp+6]
;= c47e06
        les di,dword ptr [bp+6]
;= c47e06
        les si,es:[di+4]
;= 26c47504
        lahf
;= 9f
        cmpsw
;= a7
        scasb
;= ae
        stosb
;= aa
        wait
;= 9b
        fild w
;= 9bdf060e00
        fiadd w
;= 9bde060e00
        fcomp
;= 9bd8d9
        fcompp
;= 9bded9
        ftst
;= 9bd9e4
        fxam
;= 9bd9e5
        fldz
;= 9bd9ee
        fld1
;= 9bd9e8
        fldpi
;= 9bd9eb
        fldl2e
;= 9bd9ea
        fldln2
;= 9bd9ed
        fsqrt
;= 9bd9fa
        fpatan
;= 9bd9f3
        fptan
;= 9bd9f2
        fyl2x
;= 9bd9f1
        f2xm1
;= 9bd9f0
        fscale
;= 9bd9fd
        frndint
;= 9bd9fc
        fabs
;= 9bd9e1
        fchs
;= 9bd9e0
        fprem
;= 9bd9f8
        fxch
;= 9bd9c9
        fxch st(2)
;= 9bd9ca
        ffree st(0)
;= 9bddc0
        fincstp
;= 9bd9f7
        fclex
;= 9bdbe2
        fstcw w
;= 9bd93e0e00
        fldcw w
;= 9bd92e0e00
        fsave s_
;= 9bdd361000
        frstor s_
;= 9bdd261000
        fldenv s_
;= 9bd9261000
        fst dword ptr vec
;= 9bd9160a00
        fstp qword ptr [bx]
;= 9bdd1f
        fbld tbyte ptr [bx]
;= 9bdf27
        fbstp tbyte ptr [bx]
;= 9bdf37
        fidivr w
;= 9bde3e0e00
        fsubrp st(1),st
;= 9bdee1
        fmul dword ptr [bx]
;= 9bd80f
        fcom qword ptr [bx]
;= 9bdc17
t2      dw start, lab
;= 00002d00
t3      dd start
;= 00001010
        db 'end'
;= 656e64
        dw tbl, offset tbl
;= 00000000
        dw tbl-2
;= feff
        dw offset t2-offset start
;= 7b01
        dw (t2-start)/2
;= bd00
        dw t2-start shr 1
;= 7b01
        dd start, far ptr start
;= 0000101000001010
        dw @code
;= 1010
        ret
;= c3
        end start
;---
; `flat` needs no definition, `~` is NOT, and a pointer may be declared as one.
        .386p
data_   segment use32
pair    struc
next    ptr     pair ?
init    dd      ?
pair    ends
first   ptr     byte ?
;= 00000000
second  far ptr word ?
;= 00000000
data_   ends
code_   segment use32
        assume  cs:flat, ds:flat
        je      short init
;= 7405
        mov     esi, offset flat:first
;= be00204000
init:   test    eax, ~3
;= a9fcffffff
        mov     eax, [esi].pair.next
;= 8b06
        mov     al, byte ptr second
;= a004204000
        mov     ecx, ~0 and 0ffh
;= b9ff000000
code_   ends
        end
;---
; A size before a register is its own. Watcom's assembler has names in back quotes.
        .386
code    segment use16
        assume  cs:code
        extrn   `printed`:near, "C", `shown`:near
        public  `begin`
`begin` proc    near
        mov     byte ptr al, 5
;= b005
        mov     word ptr al, 5
;! word ptr al | `al` has 8 bits, not 16
        push    dword ptr ax
;! dword ptr ax | `ax` has 16 bits, not 32
        inc     byte ptr si
;! byte ptr si | `si` has 16 bits, not 8
        mov     bx, word ptr cx
;= 8bd9
        mov     al, [byte ptr si]
;= 8a04
        call    `printed`
;= e80000
        call    shown
;= e80000
        ret
;= c3
begin   endp
        assume  zs:nothing, ds:nothing
;! zs | `zs` is no register
;!   = write `assume ds:segment`
        assume  di:nothing
code    ends
        end
