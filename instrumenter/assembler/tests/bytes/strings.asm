; String instructions with operands, overrides as instructions, pointers loaded from words.
        .386
code    segment use16
        assume  cs:code, ds:code
table   db      16 dup (0)
;= 00000000000000000000000000000000
far_w   dw      0, 0
;= 00000000
start:  lods    byte ptr es:[si]
;= 26ac
        lods    word ptr [si]
;= ad
        rep     movs byte ptr es:[di], byte ptr fs:[si]
;= f364a4
        movs    es:byte ptr [di], cs:[si]
;= 2ea4
        movs    word ptr es:[di], word ptr [si]
;= a5
        stos    byte ptr es:[di]
;= aa
        repne   scas byte ptr es:[di]
;= f2ae
        cmps    byte ptr [si], byte ptr es:[di]
;= a6
        rep     outs dx, byte ptr [si]
;= f36e
        ins     byte ptr es:[di], dx
;= 6c
        xlat    cs:table
;= 2ed7
        xlat    byte ptr es:[bx]
;= 26d7
        xlat    table
;= d7
        xlatb
;= d7
        seges
        lodsb
;= 26ac
        segcs   lodsw
;= 2ead
        rep     seges movsb
;= 26f3a4
        lds     si, far_w
;= c5361000
        les     di, dword ptr far_w
;= c43e1000
        lds     si, [bx]
;= c537
        lgdt    far_w
;= 0f01161000
        sidt    [bx]
;= 0f010f
        pushaw
;= 60
        popaw
;= 61
        pushfw
;= 9c
        iretw
;= cf
        pushfd
;= 669c
        loopd   start
;= 67e2c8
        loopw   start
;= e2c6
        enterw  4, 0
;= c8040000
        leavew
;= c9
        fldenv  far_w
;= d9261000
        fnsave  [bx]
;= dd37
        retf    4
;= ca0400
        fwait
;= 9b
        aam     16
;= d410
        int     3
;= cc
        sal     ax, 1
;= d1e0
        shl     bx, 4
;= c1e304
        imul    ax, 5
;= 6bc005
        imul    ax, [bx], 100
;= 6b0764
        xchg    [bx], ax
;= 8707
        test    al, [bx]
;= 8407
        mov     ax, es:[bx+2]
;= 268b4702
        in      al, 60h
;= e460
        out     dx, ax
;= ef
        jmp     short $+2
;= eb00
        call    word ptr [bx]
;= ff17
        call    dword ptr [bx]
;= ff1f
        jmp     dword ptr far_w
;= ff2e1000
        bswap   eax
;= 660fc8
        bt      ax, 5
;= 0fbae005
        setc    al
;= 0f92c0
        cmpxchg [bx], ax
;= 0fb107
        movzx   eax, byte ptr [bx]
;= 660fb607
code    ends
        end     start
